export const isWithin = ({ target }: KeyboardEvent, elements: string): boolean =>
  target instanceof HTMLElement && target.closest(elements) !== null;

/** Where letters mean themselves. */
export const isTyping = (event: KeyboardEvent): boolean =>
  isWithin(event, "input, textarea, select, [contenteditable], [role=menu], [role=dialog]");
