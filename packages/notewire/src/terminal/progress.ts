import type { Clock } from '@notewire/protocol'
import type { Screen } from './screen.ts'
import { cut, displayWidth, widthOf } from './width.ts'

/** The progress of a longer work. Only one can be shown at a time. */
export interface Progress {
  /**
   * @param done  the work that is done
   * @param total  all work, if it is known: a terminal then shows a bar
   * @param now  the current step, instead of the label
   */
  update(done: number, total?: number, now?: string): void
  /** Removes the bar. The command prints the result. */
  finish(): void
}

const REDRAW_MS = 80
const LINE_EVERY_MS = 5_000
const BAR_WIDTH = 24
const LEAST_BAR_WIDTH = 5

/** Shows progress as a bar on a terminal, as a line every five seconds elsewhere, and not at all with `--json`. */
export function createProgress(screen: Screen, clock: Clock, json: boolean, label: string): Progress {
  const isTerminal = screen.stderr.isTTY === true
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : clock.now()
  return {
    update(done, total, now = label) {
      const isEarly = clock.now() - shownAt < (isTerminal ? REDRAW_MS : LINE_EVERY_MS)
      if (json || (isEarly && !(isTerminal && done === total))) return
      shownAt = clock.now()
      const words = wordsOf(done, total)
      if (isTerminal) screen.show(barLine(now, words, done, total, widthOf(screen.stderr)))
      else screen.complain(`${now}: ${words}\n`)
    },
    finish: () => screen.show(''),
  }
}

function barLine(now: string, words: string, done: number, total: number | undefined, columns: number): string {
  // A terminal wraps a line that reaches its last column.
  const width = columns - 1
  const room = width - displayWidth(`${now}    ${words}`)
  return cut(`${now}  ${barOf(done, total, Math.min(BAR_WIDTH, room))}${words}`, width)
}

function barOf(done: number, total: number | undefined, width: number): string {
  if (total === undefined || total === 0 || width < LEAST_BAR_WIDTH) return ''
  const filled = Math.round(Math.min(1, done / total) * width)
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)}  `
}

function wordsOf(done: number, total: number | undefined): string {
  if (total === undefined) return `${done}`
  return `${done} of ${total}${total === 0 ? '' : ` (${Math.floor((100 * done) / total)} %)`}`
}
