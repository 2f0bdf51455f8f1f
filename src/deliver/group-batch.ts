import type { DeliveryId, SignalId, SourceId, WebhookId } from "../../schemas/common.ts";
import {
  type GroupMember,
  newGroup,
  type SignalGroup,
  WEBHOOK_GROUPS_MAX,
} from "../domain/webhooks/group.ts";
import { effectOf } from "../domain/webhooks/group-effect.ts";
import { type GroupInput, type GroupStep, groupStep } from "../domain/webhooks/group-step.ts";
import type { ChangedGroup, LoadedGroup } from "../ports/webhook-groups.ts";
import type { GroupingWebhook } from "./webhook-book.ts";

interface GroupState {
  group: SignalGroup;
  readonly members: Map<SignalId, GroupMember>;
  readonly changed: Set<SignalId>;
  isChanged: boolean;
  readonly wasFormed: boolean;
  readonly held: { readonly deliveryId: DeliveryId; readonly isTold: boolean }[];
}

const keyOf = (webhookId: WebhookId, sourceId: SourceId): string => `${webhookId} ${sourceId}`;

const stateOf = ({ group, members }: LoadedGroup): GroupState => ({
  group,
  members: new Map(members.map((member) => [member.signalId, member])),
  changed: new Set(),
  isChanged: false,
  wasFormed: group.isFormed,
  held: [],
});

/** Groups while a batch of events is taken, in the order of these; nothing is written before `changes` is. */
export class GroupBatch {
  readonly #states: Map<string, GroupState>;
  readonly #counts: Map<WebhookId, number>;
  readonly #limited: (limit: "groups" | "signals") => void;

  /** `limited` is called for a failure that no group takes up, or that a group only counts. */
  constructor(
    loaded: readonly LoadedGroup[],
    counts: ReadonlyMap<WebhookId, number>,
    limited: (limit: "groups" | "signals") => void,
  ) {
    this.#states = new Map(
      loaded.map((one) => [keyOf(one.group.webhookId, one.group.sourceId), stateOf(one)]),
    );
    this.#counts = new Map(counts);
    this.#limited = limited;
  }

  /** What becomes of an event's delivery; null: groups have nothing to do with it. */
  step(
    webhook: GroupingWebhook,
    sourceId: SourceId,
    input: Omit<GroupInput, "settings">,
    isWanted: boolean,
  ): GroupStep | null {
    const state = this.#stateFor(webhook, sourceId, input, isWanted);
    if (state === null) return null;
    const before = state.members.get(input.signalId) ?? null;
    const { sequence } = input.event;
    if (before !== null && sequence !== null && sequence <= before.sequence) return null;
    const step = groupStep(state.group, before, { ...input, settings: webhook.settings.groups }, isWanted);
    if (step.group.beyond > state.group.beyond) this.#limited("signals");
    if (step.group !== state.group) state.isChanged = true;
    state.group = step.group;
    if (step.member !== null && step.member !== before) {
      state.members.set(input.signalId, step.member);
      state.changed.add(input.signalId);
    }
    return step;
  }

  /** Of what a step held: as it is by the end of the batch, when its group may have been formed. */
  settle(webhookId: WebhookId, sourceId: SourceId, { becomes, isTold }: GroupStep, deliveryId: DeliveryId) {
    const state = this.#states.get(keyOf(webhookId, sourceId));
    if (becomes !== "held" || state === undefined) return becomes;
    if (state.group.isFormed) return isTold ? "grouped" : "pending";
    state.held.push({ deliveryId, isTold });
    return "held";
  }

  get changes(): ChangedGroup[] {
    return [...this.#states.values()]
      .filter(({ isChanged, changed, held }) => isChanged || changed.size + held.length > 0)
      .map(({ group, members, changed, held }) => ({
        group,
        members: [...members.values()].filter(({ signalId }) => changed.has(signalId)),
        held,
      }));
  }

  /** Those that were there before and have been formed now: what they hold is to be settled. */
  get formed(): SignalGroup[] {
    const formed = [...this.#states.values()].filter(({ group, wasFormed }) => group.isFormed && !wasFormed);
    return formed.map(({ group }) => group);
  }

  #stateFor(
    { id, accountId, settings }: GroupingWebhook,
    sourceId: SourceId,
    { event, nowMs }: Omit<GroupInput, "settings">,
    isWanted: boolean,
  ): GroupState | null {
    const found = this.#states.get(keyOf(id, sourceId));
    if (found !== undefined) return found;
    if (!isWanted || effectOf(event).kind !== "fails") return null;
    const count = this.#counts.get(id) ?? 0;
    if (count >= WEBHOOK_GROUPS_MAX) {
      this.#limited("groups");
      return null;
    }
    this.#counts.set(id, count + 1);
    const group = newGroup({ webhookId: id, accountId, sourceId }, event.id, settings.groups, nowMs);
    const state = stateOf({ group, members: [] });
    this.#states.set(keyOf(id, sourceId), state);
    return state;
  }
}
