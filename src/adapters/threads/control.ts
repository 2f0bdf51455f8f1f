import { createBirpc } from "birpc";
import type { ControlStore } from "../../ports/control-store.ts";
import { channel, type Port } from "./channel.ts";

/** What workers that run in threads of their own ask of control data. */
const PARTS = ["signals", "sources", "snapshots", "recordProgress"] as const;
export type GuestControl = Pick<ControlStore, (typeof PARTS)[number]>;

const nameOf = (part: keyof GuestControl): string => `control.${part}`;
const guest = <Part extends object>(port: Port, part: keyof GuestControl) =>
  createBirpc<Part, object>({}, channel(port, nameOf(part)));

/** Control data of another thread of this process, which has called `hostControl` for the other end of `port`. */
export const guestControl = (port: Port): GuestControl => ({
  signals: guest<GuestControl["signals"]>(port, "signals"),
  sources: guest<GuestControl["sources"]>(port, "sources"),
  snapshots: guest<GuestControl["snapshots"]>(port, "snapshots"),
  recordProgress: guest<GuestControl["recordProgress"]>(port, "recordProgress"),
});

/** Lets the thread at the other end of `port` use control data, until the function given is called. */
export const hostControl = (control: GuestControl, port: Port): (() => void) => {
  const hosts = PARTS.map((part) => createBirpc<object, object>(control[part], channel(port, nameOf(part))));
  return () => {
    for (const host of hosts) host.$close();
  };
};
