/** Past React, and only what has changed: whatever is written has to be laid out, and a new node more than a text. */
export const writeText = (element: HTMLElement | null | undefined, text: string): void => {
  const node = element?.firstChild;
  if (node instanceof Text) {
    if (node.data !== text) node.data = text;
  } else if (element) element.textContent = text;
};
