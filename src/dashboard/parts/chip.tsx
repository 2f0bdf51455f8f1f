import { Button } from "./button.tsx";
import style from "./chip.module.css";

interface ChipProps {
  /** What a press does, in words. */
  readonly does: string;
  /** What was chosen; of a `kind`, where that does not go without saying. */
  readonly text: string;
  readonly kind?: string;
  readonly remove: () => void;
}

/** Something that was chosen, which a press takes away again; as wide as its place at the most. */
export const Chip = ({ does, text, kind, remove }: ChipProps) => (
  <Button className={style.chip} aria-label={does} title={text} onClick={remove}>
    {kind !== undefined && `${kind}:`}
    <bdi className={style.text}>{text}</bdi> <span aria-hidden="true">✕</span>
  </Button>
);
