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
/** A shorter bar is left out. */
const LEAST_BAR_WIDTH = 5

/** Shows progress as a bar on a terminal, as a line every five seconds elsewhere, and not at all with `--json`. */
export function createProgress(screen: Screen, clock: Clock, json: boolean, label: string): Progress {
  if (json) return { update: () => undefined, finish: () => undefined }
  return screen.stderr.isTTY === true ? barProgress(screen, clock, label) : lineProgress(screen, clock, label)
}

function barProgress(screen: Screen, clock: Clock, label: string): Progress {
  let drawnAt = Number.NEGATIVE_INFINITY
  return {
    update(done, total, now = label) {
      if (clock.now() - drawnAt < REDRAW_MS && done !== total) return
      drawnAt = clock.now()
      // A terminal wraps a line that reaches its last column.
      const width = widthOf(screen.stderr) - 1
      const words = wordsOf(done, total)
      const room = width - displayWidth(`${now}    ${words}`)
      screen.show(cut(`${now}  ${barOf(done, total, Math.min(BAR_WIDTH, room))}${words}`, width))
    },
    finish: () => screen.show(''),
  }
}

function lineProgress(screen: Screen, clock: Clock, label: string): Progress {
  let saidAt = clock.now()
  return {
    update(done, total, now = label) {
      if (clock.now() - saidAt < LINE_EVERY_MS) return
      saidAt = clock.now()
      screen.complain(`${now}: ${wordsOf(done, total)}\n`)
    },
    finish: () => undefined,
  }
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
