import type { AccountId, AlertId } from "../../schemas/common.ts";
import type { Email } from "../../schemas/email.ts";
import { emptyBox, type FollowedAlert, type MailBox, takeNews } from "../domain/alert-mails/box.ts";
import type { AlertNews } from "../domain/alert-mails/news.ts";
import type { ChangedBox, LoadedBox } from "../ports/alert-mails.ts";

interface BoxState {
  box: MailBox;
  readonly alerts: Map<AlertId, FollowedAlert>;
  readonly changed: Set<AlertId>;
}

/** Whether an alert is told with what happened to it, or is only counted; null: the address knew it already. */
export type Taken = "followed" | "counted" | null;

/** Boxes of an account while a batch of events is taken, in the order of these; nothing is written before `changes` is. */
export class AlertMailBatch {
  readonly #accountId: AccountId;
  readonly #states: Map<Email, BoxState>;
  readonly #changed = new Set<BoxState>();

  constructor(accountId: AccountId, loaded: readonly LoadedBox[]) {
    this.#accountId = accountId;
    this.#states = new Map(
      loaded.map(({ box, alerts }) => {
        const byId = new Map(alerts.map((alert) => [alert.alertId, alert]));
        return [box.recipient, { box, alerts: byId, changed: new Set() }];
      }),
    );
  }

  take(recipient: Email, news: AlertNews, nowMs: number): Taken {
    const state = this.#stateFor(recipient);
    const before = state.alerts.get(news.alert.id) ?? null;
    const { box, followed } = takeNews(state.box, before, news, nowMs);
    if (box === state.box && followed === before) return null;
    state.box = box;
    this.#changed.add(state);
    if (followed === null || followed === before) return "counted";
    state.alerts.set(followed.alertId, followed);
    state.changed.add(followed.alertId);
    return "followed";
  }

  get changes(): ChangedBox[] {
    return [...this.#changed].map(({ box, alerts, changed }) => ({
      box,
      alerts: [...alerts.values()].filter(({ alertId }) => changed.has(alertId)),
    }));
  }

  #stateFor(recipient: Email): BoxState {
    const found = this.#states.get(recipient);
    if (found !== undefined) return found;
    const box = emptyBox({ accountId: this.#accountId, recipient });
    const state: BoxState = { box, alerts: new Map(), changed: new Set() };
    this.#states.set(recipient, state);
    return state;
  }
}
