import type { JSONValue } from "json-p3";
import type { RejectionReason } from "../../schemas/source.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { Lookup } from "./address-guard.ts";

/** What is set for connections that leave this process, whoever asks for them. */
export interface ConnectionSettings {
  /** False refuses sources on private networks; link-local addresses are refused in any case. */
  readonly allowPrivate: boolean;
  /** A larger message is rejected as `too_large`, and the connection opened anew. */
  readonly maxPayloadBytes: number;
  /** How names become addresses; the system's way unless given. */
  readonly lookup?: Lookup;
}

export const CONNECTION_DEFAULTS: ConnectionSettings = { allowPrivate: true, maxPayloadBytes: 1024 * 1024 };

/** Where a source tells how it is; the runner keeps it and tells the world. */
export interface SourceReport {
  connecting(): void;
  connected(): void;
  /** Not connected, for a `reason` in words; trying again after `delayMs`. */
  waiting(reason: string, delayMs: number): void;
  /** Cannot work until its settings change. */
  failed(reason: string): void;
  reconnecting(): void;
}

/** Takes what a source receives. Nothing that a sender sends makes it throw. */
export interface Received {
  /** One message as it came; `binary` says that the sender called it so. Not held after the call. */
  receive(data: Buffer, binary: boolean): void;
  /** Marks the arrival of a message that needs no parsing; its readings follow by `reading`. */
  arrive(): void;
  reading(name: string, atMs: number, strength: number, element: JSONValue): void;
  /** A message that could not be received. */
  refused(reason: RejectionReason, detail: string): void;
  /** A message that the connection itself has used. */
  consumed(): void;
  /** Resolves once all readings received before this call are durable in the log, or known never to be. */
  cut(): Promise<unknown>;
}

/** How far a source is in its feed, over restarts and moves to other processes. */
export interface Position {
  /** As last saved, by whatever process; null if it never was. Rejects when the signal aborts. */
  load(signal: AbortSignal): Promise<string | null>;
  /** In the background, the newest only. Call it for what is durable. */
  save(position: string): void;
}

/** What a source offers to be slowed down by. Both may be called at any time, also twice. */
export interface Valve {
  pause(): void;
  resume(): void;
}

/** Whether a source may go on receiving. */
export interface Flow {
  readonly paused: boolean;
  /** Whether it waits for more than its turn. */
  readonly isHeldBack: boolean;
  /** Whether this process stood still for so long that another may run the source now. */
  readonly isInDoubt: boolean;
  /** Resolves once that is out of doubt, or the signal aborts: connecting now could throw the other one out. */
  ours(signal: AbortSignal): Promise<void>;
  /** The valve of the connection that is open now. */
  attach(valve: Valve): void;
  detach(): void;
  /** Counts a message that the source is about to work through; beyond its share it waits for the next turn. */
  spend(bytes: number): void;
}

/** A step of a handshake as it went, counted from 1. */
export interface StepOutcome {
  readonly step: number;
  /** Null for one that sends. */
  readonly expect: string | null;
  readonly ok: boolean;
  /** The message that was expected, or that came last instead, without what we had sent; null for none. */
  readonly came: string | null;
}

/** What every kind of source is made with. */
export interface SourceContext {
  readonly intake: Received;
  readonly flow: Flow;
  readonly report: SourceReport;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly settings: ConnectionSettings;
  readonly position: Position;
  /** An error nobody foresaw, in code that an event called: told, and the source goes on. */
  readonly fault: (error: unknown, where: string) => void;
  /** Told of each step of a handshake, where a source is only tried. */
  readonly stepped?: (outcome: StepOutcome) => void;
}

/** A running source: resolves once `signal` has aborted and everything it opened is closed. */
export type RunSource = (context: SourceContext, signal: AbortSignal) => Promise<void>;
