import type { Answer } from './answer.ts'
import type { HistoryContext } from './history-context.ts'

/** How long an answer may be repeated, in milliseconds. */
const MAX_REPEAT_MS = 20_000

/** Repeats earlier answers to the same request, as long as the key sees the same notes. */
export class StaleAnswers {
  readonly #context: HistoryContext
  readonly #before = new Map<string, { readonly answer: Answer; readonly visibility: number; readonly at: number }>()

  constructor(context: HistoryContext) {
    this.#context = context
  }

  /** Returns the answer, or an earlier answer to the same request. */
  instead(answer: Answer): Answer {
    const { schedule, world, scenario } = this.#context
    if (scenario.rates.staleAnswer === 0 || answer.status !== 200 || isContent(answer)) return answer
    const before = this.#before.get(answer.url.href)
    const mayRepeat =
      before !== undefined && before.visibility === world.visibilityChanges && schedule.now - before.at <= MAX_REPEAT_MS
    if (mayRepeat && this.#context.occurs('staleAnswer')) return before.answer
    this.#before.set(answer.url.href, { answer, visibility: world.visibilityChanges, at: schedule.now })
    return answer
  }
}

/** Content is not repeated: it may carry the revision at which it was written (open point 9), so a stale transcript could not be detected. */
function isContent({ url }: Answer): boolean {
  return /\/(?:transcript|summary)$/.test(url.pathname)
}
