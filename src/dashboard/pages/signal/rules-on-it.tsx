import { Link } from "@tanstack/react-router";
import { numberText } from "../../app/words.ts";
import { conditionText, secondsText } from "../alerts/words.ts";
import type { RulesOn } from "./rules-on.ts";
import style from "./rules-on-it.module.css";

/** The rules whose limits are drawn, and those that have none of strength. */
export const RulesOnIt = ({ rules: { shown, others } }: { rules: RulesOn }) =>
  shown.length > 0 && (
    <ul className={style.rules} aria-label="Rules that look at it">
      {shown.map(({ id, name, condition, levels, forSeconds, failsSignal }) => (
        <li key={id}>
          <Link to="/alerts/rules/$id" params={{ id }}>
            <bdi>{name}</bdi>
          </Link>{" "}
          <span>
            {conditionText(condition, levels)}
            {forSeconds > 0 && ` for ${secondsText(forSeconds)}`}
            {!failsSignal && " · does not fail the signal"}
          </span>
        </li>
      ))}
      {others > 0 && (
        <li>
          <Link to="/alerts/rules">
            {others === 1 ? "1 more rule looks at it" : `${numberText(others)} more rules look at it`}
          </Link>
        </li>
      )}
    </ul>
  );
