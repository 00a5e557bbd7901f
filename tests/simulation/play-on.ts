import type { Schedule } from './schedule.ts'

/** Who knows which promise was not kept, if any. */
interface Judge {
  readonly violation: string | undefined
  violated(what: string): void
}

/**
 * Plays until nothing more is to happen, or a promise is not kept.
 *
 * @returns how many steps it took
 */
export async function playOn(schedule: Schedule, judge: Judge, mostSteps: number): Promise<number> {
  let steps = 0
  while (judge.violation === undefined && (await schedule.next())) {
    steps += 1
    if (steps > mostSteps) judge.violated('It never comes to rest.')
  }
  return steps
}
