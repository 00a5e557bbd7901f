import type { Answer } from './answer.ts'
import type { Stage } from './stage.ts'

/** For how long, in milliseconds, an answer may be given again. */
const LONGEST_LAG_MS = 20_000

/** Answers that lag behind: what was answered a while ago, as long as the key still sees the same notes. */
export class StaleAnswers {
  readonly #stage: Stage
  readonly #before = new Map<string, { readonly answer: Answer; readonly sight: number; readonly at: number }>()

  constructor(stage: Stage) {
    this.#stage = stage
  }

  /** The answer, or an older one to the same question. */
  instead(answer: Answer): Answer {
    const { schedule, world, circumstances } = this.#stage
    if (circumstances.rates.staleAnswer === 0 || answer.status !== 200 || isContent(answer)) return answer
    const before = this.#before.get(answer.url.href)
    const mayStay =
      before !== undefined && before.sight === world.changesOfSight && schedule.now - before.at <= LONGEST_LAG_MS
    if (mayStay && this.#stage.strikes('staleAnswer')) return before.answer
    this.#before.set(answer.url.href, { answer, sight: world.changesOfSight, at: schedule.now })
    return answer
  }
}

/** A transcript may say the revision at which it was written (open point 9): then nobody can tell an old one. */
function isContent({ url }: Answer): boolean {
  return /\/(?:transcript|summary)$/.test(url.pathname)
}
