import { isDeepStrictEqual } from "node:util";
import type { SignalDefinition } from "../../../schemas/change.ts";
import type { AccountId, SignalId } from "../../../schemas/common.ts";
import type { SignalCreate, SignalPatch, SignalStatus } from "../../../schemas/signal.ts";
import type { Note } from "../../ports/audit.ts";
import type { Changed, OutboxRow, SignalOperation, StoredSignal } from "../../ports/control-store.ts";
import { conflict, done, notFound } from "./changed.ts";
import type { ControlContext } from "./engine.ts";
import { refusedSignal, TAKEN } from "./signal-checks.ts";
import { newSignal } from "./signal-new.ts";
import { createdNote, deletedNote, updatedNote } from "./signal-notes.ts";
import type { SignalReplacement } from "./signal-replace.ts";
import { signalEntry } from "./signal-row.ts";
import type { DeletedSignal } from "./signal-tombstones.ts";
import { withPatch } from "./signal-update.ts";

/** A signal as its transaction found it; `projected` is its state without regard to a pause. */
export interface FoundSignal extends StoredSignal {
  readonly projected: "active" | "failed";
}

/** What an account's transaction has found, all of it locked. */
export interface FoundSignals {
  readonly accountId: AccountId;
  readonly signals: Map<SignalId, FoundSignal>;
  /** Who has an externalId that an operation asks for. */
  readonly owners: Map<string, SignalId>;
  readonly count: number;
}

const shown = ({ projected: _projected, ...stored }: FoundSignal): StoredSignal => stored;

type Result = Changed<StoredSignal | null>;

/**
 * Operations one after the other, in memory: each sees what those before it did. What is to be written is gathered:
 * deletions first, then replacements in their order, then creations, which no constraint can refuse.
 */
export class SignalFold {
  readonly created: SignalDefinition[] = [];
  readonly removed: DeletedSignal[] = [];
  readonly entries: OutboxRow["entry"][] = [];
  readonly notes: Note[] = [];
  readonly #replacements: SignalReplacement[] = [];
  readonly #context: ControlContext;
  readonly #found: FoundSignals;

  constructor(context: ControlContext, found: FoundSignals) {
    this.#context = context;
    this.#found = found;
  }

  /** But for those of signals that were deleted later. */
  get replaced(): SignalReplacement[] {
    return this.#replacements.filter(({ next }) => this.#found.signals.has(next.id));
  }

  /** `outbox` is 1 where something was changed: the position is not known yet. */
  apply(operation: SignalOperation): Result {
    if (operation.kind === "create") return this.#create(operation.input);
    if (operation.kind === "update") return this.#update(operation.id, operation.patch);
    return this.#remove(operation.id);
  }

  #create(input: SignalCreate): Result {
    const { accountId, count } = this.#found;
    const definition = newSignal(this.#context, accountId, input);
    const refused = refusedSignal(definition);
    if (refused !== null) return refused;
    const signals = count + this.created.length - this.removed.length;
    if (signals >= this.#context.maxSignals)
      return conflict("", `the account has its limit of ${signals} signals`);
    if (!this.#own(definition, null)) return TAKEN;
    this.created.push(definition);
    this.notes.push(createdNote(definition));
    this.entries.push(signalEntry(definition));
    return done({ definition, status: "active", reasons: [], sequence: 0 }, 1);
  }

  #update(id: SignalId, patch: SignalPatch): Result {
    const stored = this.#found.signals.get(id);
    if (stored === undefined) return notFound;
    const before = stored.definition;
    const patched = withPatch(before, patch);
    if (isDeepStrictEqual(before, patched)) return done(shown(stored), 0);
    const refused = refusedSignal(patched);
    if (refused !== null) return refused;
    if (!this.#own(patched, before.externalId)) return TAKEN;
    const next = { ...patched, revision: before.revision + 1, updatedAt: this.#context.clock.now() };
    const status: SignalStatus = next.paused ? "paused" : stored.projected;
    const after: FoundSignal = { ...stored, definition: next, status };
    this.#found.signals.set(id, after);
    this.#replacements.push({ before, next, status });
    this.notes.push(updatedNote(before, next));
    this.entries.push(signalEntry(next));
    return done(shown(after), 1);
  }

  #remove(id: SignalId): Result {
    const { signals, owners, accountId } = this.#found;
    const definition = signals.get(id)?.definition;
    if (definition === undefined) return notFound;
    const revision = definition.revision + 1;
    signals.delete(id);
    if (definition.externalId !== null) owners.delete(definition.externalId);
    this.removed.push({ signalId: id, accountId, revision });
    this.notes.push(deletedNote(definition));
    const change = { type: "signalDeleted" as const, signalId: id, accountId, revision };
    this.entries.push({ topic: "readings", change });
    return done(null, 1);
  }

  /** Gives the signal its externalId in place of the one before, unless another has it. */
  #own({ id, externalId }: SignalDefinition, before: string | null): boolean {
    const { owners } = this.#found;
    if (externalId !== null && (owners.get(externalId) ?? id) !== id) return false;
    if (before !== null && before !== externalId) owners.delete(before);
    if (externalId !== null) owners.set(externalId, id);
    return true;
  }
}
