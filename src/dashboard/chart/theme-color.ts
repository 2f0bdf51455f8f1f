/** A colour of the theme as it is now, for what is drawn and not styled. */
export const themeColor = (name: string): string => {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
};
