import type { Schedule } from './schedule.ts'

/** What a run of histories counts, to show that they were not idle. */
export type Tally = Record<string, number>

/** Records what happens: always counts it, and also writes a line if the log is printed. */
export class Chronicle {
  readonly lines: string[] = []
  readonly #schedule: Schedule
  readonly #beganAt: number
  readonly #tally: Tally
  readonly #inWords: boolean

  constructor(schedule: Schedule, tally: Tally, inWords: boolean) {
    this.#schedule = schedule
    this.#beganAt = schedule.now
    this.#tally = tally
    this.#inWords = inWords
  }

  tell(who: string, what: string): void {
    if (!this.#inWords) return
    this.lines.push(`${timeOf(this.#schedule.now - this.#beganAt)}  ${who.padEnd(10)}  ${what}`)
  }

  count(what: string): void {
    this.#tally[what] = (this.#tally[what] ?? 0) + 1
  }
}

function timeOf(ms: number): string {
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60].map((part) =>
    String(part).padStart(2, '0'),
  )
  return `${hours}:${minutes}:${((ms % 60_000) / 1_000).toFixed(3).padStart(6, '0')}`
}
