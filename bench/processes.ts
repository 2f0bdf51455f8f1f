import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly cpuSeconds: number;
  /** What is the process's own: maps of files do not count. */
  readonly rssAnonMib: number;
  /** Also what it shares with files: the program, and maps of databases. */
  readonly rssMib: number;
}

/** From Linux' /proc; null for a process that has gone. Fields: man 5 proc, /proc/[pid]/stat. */
const statOf = (pid: number): ProcessStat | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.replace(/^.*\) /s, "").split(" ");
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const mib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
    const ticks = Number(fields[11]) + Number(fields[12]);
    return {
      pid,
      parent: Number(fields[1]),
      name: /\((.*)\)/s.exec(stat)?.[1] ?? "",
      cpuSeconds: ticks / TICKS_PER_SECOND,
      rssAnonMib: mib("RssAnon"),
      rssMib: mib("VmRSS"),
    };
  } catch {
    return null;
  }
};

export const isAlive = (pid: number): boolean => statOf(pid) !== null;

export const childrenOf = (pid: number): ProcessStat[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat !== null)
    .filter(({ parent }) => parent === pid);

/** CPU seconds so far and memory of some processes together; those that have gone count nothing. */
export const sumOf = (pids: readonly number[]) => {
  const stats = pids.map(statOf).filter((stat) => stat !== null);
  const sum = (of: (stat: ProcessStat) => number) => stats.reduce((total, stat) => total + of(stat), 0);
  return { cpuSeconds: sum((stat) => stat.cpuSeconds), rssAnonMib: sum((stat) => stat.rssAnonMib) };
};

/** CPU seconds so far, and memory in MiB, of a process and, apart, of its children. */
export const usage = (pid: number) => {
  const children = sumOf(childrenOf(pid).map((child) => child.pid));
  const main = statOf(pid);
  return {
    mainCpuSeconds: main?.cpuSeconds ?? 0,
    childCpuSeconds: children.cpuSeconds,
    mainMib: Math.round(main?.rssAnonMib ?? 0),
    mainRssMib: Math.round(main?.rssMib ?? 0),
    childMib: Math.round(children.rssAnonMib),
  };
};
