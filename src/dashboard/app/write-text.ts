/** Past React, and only what has changed: whatever is written has to be laid out. */
export const writeText = (element: HTMLElement | null | undefined, text: string): void => {
  if (element && element.textContent !== text) element.textContent = text;
};
