import { visible } from "../../app/visible.ts";
import { dbmText, numberText } from "../../app/words.ts";
import { Scrolled } from "../../parts/scrolled.tsx";
import { Time } from "../../parts/time.tsx";
import formStyle from "./forms.module.css";
import type { Preview } from "./mapping-preview.ts";
import style from "./source.module.css";

const ROWS = 20;

/** What messages come to by a mapping. */
export const Readings = ({ readings, rejections, skipped, unread }: Preview) => (
  <div aria-live="polite">
    <p>
      <strong>
        {numberText(readings.length)} {readings.length === 1 ? "reading" : "readings"}
      </strong>
      {rejections.length > 0 && `, ${numberText(rejections.length)} rejected`}
      {skipped > 0 && `, ${numberText(skipped)} messages of another kind`}
      {unread > 0 && `, ${numberText(unread)} cut or no JSON`}
    </p>
    {rejections.length > 0 && (
      <ul>
        {[...new Set(rejections)].slice(0, 5).map((detail) => (
          <li key={detail}>▲ {visible(detail)}</li>
        ))}
      </ul>
    )}
    {readings.length > 0 && (
      <Scrolled label="Readings">
        <table className={`${formStyle.table} ${formStyle.wide} ${style.readings}`}>
          <thead>
            <tr>
              <th scope="col">Signal</th>
              <th scope="col">Strength</th>
              <th scope="col">Time</th>
            </tr>
          </thead>
          <tbody>
            {readings.slice(0, ROWS).map(({ name, atMs, strength }, n) => (
              // The same signal may be there again and again.
              // biome-ignore lint/suspicious/noArrayIndexKey: there is nothing else to tell them by
              <tr key={n}>
                <td>
                  <bdi>{name}</bdi>
                </td>
                <td>{dbmText(strength)}</td>
                <td>
                  <Time at={atMs} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    )}
  </div>
);
