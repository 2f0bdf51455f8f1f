import { type Measured, wait } from "./bench.ts";
import { Subject, type SubjectOptions } from "./subject.ts";

export const WARM_UP_SECONDS = 10;

/** What passes all stages of a new service while a sender sends as much as is taken; throws if not all of it is stored. */
export const flood = async (seconds: number, options: SubjectOptions): Promise<Omit<Measured, "name">> => {
  const subject = await Subject.start(options);
  try {
    await subject.pace(null);
    await wait(WARM_UP_SECONDS);
    const measured = await subject.flow(seconds);
    await subject.checkStored();
    return measured;
  } finally {
    await subject.end();
  }
};
