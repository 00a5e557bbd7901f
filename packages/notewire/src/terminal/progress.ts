import progressBars, { type GenericFormatter } from 'cli-progress'
import type { Screen } from './screen.ts'

/** The progress of a task. Only one progress is shown at a time. */
export interface Progress {
  /**
   * @param done  how much is done
   * @param total  how much there is to do, if that is known; then a bar is shown
   * @param step  what is being done now. Default: the label
   */
  update(done: number, total?: number, step?: string): void
  /** Removes the bar. */
  finish(): void
}

/** Shows progress as a bar on a terminal; in a pipe and with `--json`, nothing. */
export function createProgress(screen: Screen, json: boolean, label: string): Progress {
  const settings = { stream: screen.stderr, barsize: 24, clearOnComplete: true, gracefulExit: false, format: barLine }
  const bar = new progressBars.SingleBar(settings, progressBars.Presets.shades_classic)
  return {
    update(done, total = 0, step = label) {
      if (json) return
      screen.bar = bar
      if (bar.isActive) {
        bar.setTotal(total)
        bar.update(done, { step })
      } else bar.start(total, done, { step })
    },
    finish: () => bar.stop(),
  }
}

const barLine: GenericFormatter = (options, { value, total }, { step }) => {
  if (total === 0) return `${step}  ${value}`
  const share = Math.min(1, value / total)
  return `${step}  ${progressBars.Format.BarFormat(share, options)}  ${value} of ${total} (${Math.floor(100 * share)} %)`
}
