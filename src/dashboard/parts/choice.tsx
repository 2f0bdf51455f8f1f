import style from "./choice.module.css";

interface ChoiceProps<Value extends string> {
  readonly legend: string;
  readonly name: string;
  readonly values: readonly Value[];
  /** Null: none is yet. */
  readonly chosen: Value | null;
  readonly choose: (value: Value) => void;
  readonly words?: Readonly<Partial<Record<Value, string>>>;
}

/** One of a few, all of them seen at once. */
export const Choice = <Value extends string>({
  legend,
  name,
  values,
  chosen,
  choose,
  words,
}: ChoiceProps<Value>) => (
  <fieldset className={style.choice}>
    <legend className="only-heard">{legend}</legend>
    {values.map((one) => (
      <label key={one} className={style.one}>
        <input type="radio" name={name} checked={chosen === one} onChange={() => choose(one)} />
        {words?.[one] ?? one}
      </label>
    ))}
  </fieldset>
);
