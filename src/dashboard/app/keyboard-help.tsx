import { Button } from "../parts/button.tsx";
import style from "../parts/dialog.module.css";
import { Modal } from "../parts/modal.tsx";
import { keys } from "./preferences.ts";
import { say } from "./toasts.tsx";

const HELP: readonly (readonly [string, string])[] = [
  ["Ctrl K", "Go to any page or signal"],
  ["/", "Search"],
  ["g then o, s, a, c, w", "Go to overview, signals, alerts, connections, webhooks"],
  ["j, k", "Next, previous"],
  ["Enter", "Open"],
  ["Space", "Freeze what is live, or go on"],
  ["[ and ]", "Earlier, later"],
  ["+ and −", "Zoom in, out"],
  ["n", "New"],
  ["u", "Undo what was done just now"],
  ["?", "These keys"],
  ["Esc", "Close"],
];

/** What each key does. */
const KeyboardHelp = ({ close }: { close: () => void }) => (
  <Modal title="Keys" close={close}>
    <dl className={style.keys}>
      {HELP.map(([key, does]) => (
        <div key={key} className={style.key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
    <div className={style.buttons}>
      <Button onClick={close}>Close</Button>
      <Button
        kind="quiet"
        onClick={() => {
          keys.set("off");
          close();
          say("Keys are off. The menu beside your e-mail address turns them on again.");
        }}
      >
        Turn keys off
      </Button>
    </div>
  </Modal>
);
export default KeyboardHelp;
