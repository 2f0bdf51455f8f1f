import { useState } from "react";
import { visible } from "../../app/visible.ts";
import { Button } from "../../parts/button.tsx";
import { Group } from "../../parts/group.tsx";
import style from "./source.module.css";
import { PARTS, type Part, type Place, pathText } from "./source-paths.ts";

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

const SHOWN_MAX = 50;
export const PART_WORDS: Readonly<Record<Part, string>> = {
  signal: "Signal",
  strength: "Strength",
  at: "Time",
};

/** Which values are parts already, by their paths from the root. */
type Parts = ReadonlyMap<string, Part>;

const same = (one: Place | null, other: Place): boolean =>
  one !== null && one.length === other.length && one.every((step, n) => step === other[n]);

interface TreeProps {
  readonly value: Json;
  readonly place: Place;
  readonly parts: Parts;
  readonly pointed: Place | null;
  readonly point: (place: Place) => void;
}

const Leaf = ({ value, place, parts, pointed, point }: TreeProps) => {
  const part = parts.get(pathText("$", place));
  return (
    <button
      type="button"
      className={style.leaf}
      data-part={part}
      aria-pressed={same(pointed, place)}
      onClick={() => point(place)}
    >
      <bdi>{visible(JSON.stringify(value))}</bdi>
      {part !== undefined && <strong> {PART_WORDS[part]}</strong>}
    </button>
  );
};

const Branch = (props: TreeProps) => {
  const { value, place } = props;
  if (value === null || typeof value !== "object") return <Leaf {...props} />;
  const isList = Array.isArray(value);
  const entries: [string | number, Json][] = isList ? value.map((one, n) => [n, one]) : Object.entries(value);
  return (
    <>
      {isList ? "[" : "{"}
      <ul className={style.branch}>
        {entries.slice(0, SHOWN_MAX).map(([name, one]) => (
          <li key={name}>
            <span className={style.key}>
              <bdi>{visible(String(name))}</bdi>:
            </span>{" "}
            <Branch {...props} value={one} place={[...place, name]} />
          </li>
        ))}
        {entries.length > SHOWN_MAX && <li>… {entries.length - SHOWN_MAX} more</li>}
      </ul>
      {isList ? "]" : "}"}
    </>
  );
};

interface MessageProps {
  readonly value: Json;
  readonly parts: Parts;
  readonly choose: (part: Part, place: Place) => void;
}

/** A message as a tree: somebody clicks a value, and says what it is. */
export const MessageTree = ({ value, parts, choose }: MessageProps) => {
  const [pointed, setPointed] = useState<Place | null>(null);
  const say = (part: Part) => {
    if (pointed !== null) choose(part, pointed);
    setPointed(null);
  };
  return (
    <div>
      <Group label="What the value is" className={style.say}>
        {pointed === null ? (
          <span>Click a value, and say what it is.</span>
        ) : (
          <>
            <span>It is the</span>
            {PARTS.map((part) => (
              <Button key={part} onClick={() => say(part)}>
                {PART_WORDS[part]}
              </Button>
            ))}
            <Button kind="quiet" onClick={() => setPointed(null)}>
              Nothing
            </Button>
          </>
        )}
      </Group>
      <div className={style.tree}>
        <Branch value={value} place={[]} parts={parts} pointed={pointed} point={setPointed} />
      </div>
    </div>
  );
};
