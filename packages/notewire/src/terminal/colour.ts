import { styleText } from 'node:util'

export type Format = Parameters<typeof styleText>[0]

export type Paint = (format: Format, text: string) => string

interface Destination {
  readonly isTTY?: boolean | undefined
}

/**
 * Decides whether a stream gets colour: never with `NO_COLOR`, always with `FORCE_COLOR` (never if it is `0` or `false`), and
 * otherwise if it is a terminal that is not dumb.
 */
export function isColoured({ isTTY }: Destination, env: Readonly<Record<string, string | undefined>>): boolean {
  const { NO_COLOR: refused = '', FORCE_COLOR: forced, TERM: kind } = env
  if (refused !== '') return false
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTTY === true && kind !== 'dumb'
}

export function painter(coloured: boolean): Paint {
  // Without its check of stdout, because the text may go to stderr.
  return coloured ? (format, text) => styleText(format, text, { validateStream: false }) : (_format, text) => text
}
