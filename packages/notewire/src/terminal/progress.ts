import type { Clock } from '@notewire/protocol'
import type { Screen } from './screen.ts'
import { cut, displayWidth, widthOf } from './width.ts'

/** The progress of a task. Only one progress is shown at a time. */
export interface Progress {
  /**
   * @param done  how much is done
   * @param total  how much there is to do, if that is known; a terminal then shows a bar
   * @param step  what is being done now. Default: the label
   */
  update(done: number, total?: number, step?: string): void
  /** Removes the bar. */
  finish(): void
}

const REDRAW_MS = 80
const LINE_EVERY_MS = 5_000
const BAR_WIDTH = 24
const MIN_BAR_WIDTH = 5

/** Shows progress as a bar on a terminal, otherwise as a line every five seconds, and not at all with `--json`. */
export function createProgress(screen: Screen, clock: Clock, json: boolean, label: string): Progress {
  const isTerminal = screen.stderr.isTTY === true
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : clock.now()
  return {
    update(done, total, step = label) {
      const isEarly = clock.now() - shownAt < (isTerminal ? REDRAW_MS : LINE_EVERY_MS)
      if (json || (isEarly && !(isTerminal && done === total))) return
      shownAt = clock.now()
      const words = wordsOf(done, total)
      if (isTerminal) screen.showProgress(barLine(step, words, done, total, widthOf(screen.stderr)))
      else screen.writeError(`${step}: ${words}\n`)
    },
    finish: () => screen.showProgress(''),
  }
}

function barLine(step: string, words: string, done: number, total: number | undefined, columns: number): string {
  // A terminal wraps a line that reaches its last column.
  const width = columns - 1
  const room = width - displayWidth(`${step}    ${words}`)
  return cut(`${step}  ${barOf(done, total, Math.min(BAR_WIDTH, room))}${words}`, width)
}

function barOf(done: number, total: number | undefined, width: number): string {
  if (total === undefined || total === 0 || width < MIN_BAR_WIDTH) return ''
  const filled = Math.round(Math.min(1, done / total) * width)
  return `${'█'.repeat(filled)}${'░'.repeat(width - filled)}  `
}

function wordsOf(done: number, total: number | undefined): string {
  if (total === undefined) return `${done}`
  return `${done} of ${total}${total === 0 ? '' : ` (${Math.floor((100 * done) / total)} %)`}`
}
