import type { CompiledMapping, MappingVisitor } from "./visitor.ts";

type Told = (visitor: MappingVisitor) => void;

/**
 * The mapping of one element of a message, by its place among `of`: what has come of the others stays as it is. A
 * message that this mapping takes apart into another number of elements is rejected, as nobody can say which it was.
 */
export const onlyElement = (mapping: CompiledMapping, index: number, of: number): CompiledMapping => ({
  map: (message, arrivalMs, visitor) => {
    const elements: Told[] = [];
    mapping.map(message, arrivalMs, {
      reading: (...reading) => elements.push((to) => to.reading(...reading)),
      skipped: () => elements.push((to) => to.skipped()),
      rejected: (...rejection) => elements.push((to) => to.rejected(...rejection)),
    });
    const chosen = elements.length === of ? elements[index] : undefined;
    if (chosen === undefined)
      visitor.rejected("no_signal", `the message has ${elements.length} elements now`);
    else chosen(visitor);
  },
  labels: (element, message) => mapping.labels(element, message),
});
