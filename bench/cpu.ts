import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly cpuSeconds: number;
  readonly residentMib: number;
  /** Also what it shares with files: the program, and maps of databases. */
  readonly rssMib: number;
}

/** From Linux' /proc; null for a process that has gone. Fields: man 5 proc, /proc/[pid]/stat. */
const statOf = (pid: number): ProcessStat | null => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const mib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
    const ticks = Number(fields[11]) + Number(fields[12]);
    return {
      pid,
      parent: Number(fields[1]),
      cpuSeconds: ticks / TICKS_PER_SECOND,
      residentMib: mib("RssAnon"),
      rssMib: mib("VmRSS"),
    };
  } catch {
    return null;
  }
};

/** CPU seconds so far, and RssAnon in MiB, of a process and, apart, of its children. */
export const usage = (pid: number) => {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat !== null);
  const children = all.filter(({ parent }) => parent === pid);
  const main = all.find((stat) => stat.pid === pid);
  return {
    mainCpuSeconds: main?.cpuSeconds ?? 0,
    childCpuSeconds: children.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    mainMib: Math.round(main?.residentMib ?? 0),
    mainRssMib: Math.round(main?.rssMib ?? 0),
    childMib: Math.round(children.reduce((sum, { residentMib }) => sum + residentMib, 0)),
  };
};
