import { TextArea } from "../../parts/text-field.tsx";

/** What was pasted, as messages that came. */
export const messagesOf = (sample: string): string[] => (sample.trim() === "" ? [] : [sample.trim()]);

/** A message that somebody has at hand, of a source that nothing can be asked of. */
export const Sample = ({ text, change }: { text: string; change: (text: string) => void }) => (
  <TextArea
    label="A message of it"
    hint="Paste one to point at its values: it is looked at here, and sent nowhere."
    rows={3}
    spellCheck={false}
    autoComplete="off"
    value={text}
    change={change}
  />
);
