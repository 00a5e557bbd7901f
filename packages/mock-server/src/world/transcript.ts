/** A spoken line of a recording. */
export interface SpokenLine {
  /** The speaker, or `null` if unknown. */
  readonly speaker: string | null
  readonly text: string
}

/** A line with its time in the recording. */
interface TimedLine extends SpokenLine {
  readonly start_ms: number
  readonly end_ms: number
}

const MS_A_WORD = 380
const MS_BETWEEN_LINES = 600

/** Adds times to lines, one after the other, by the number of their words. */
export function timed(lines: readonly SpokenLine[]): readonly TimedLine[] {
  let start_ms = 0
  return lines.map(({ speaker, text }) => {
    const end_ms = start_ms + text.split(/\s+/).length * MS_A_WORD
    const line = { speaker, start_ms, end_ms, text }
    start_ms = end_ms + MS_BETWEEN_LINES
    return line
  })
}

/** A transcript as text, one line for each spoken line. */
export function runningText(lines: readonly SpokenLine[]): string {
  return lines.map(({ speaker, text }) => (speaker === null ? text : `${speaker}: ${text}`)).join('\n')
}
