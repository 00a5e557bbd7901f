import { styleText } from 'node:util'

export type Format = Parameters<typeof styleText>[0]

export type Paint = (format: Format, text: string) => string

interface Destination {
  readonly isTTY?: boolean | undefined
}

/**
 * Decides whether a stream gets colour. `NO_COLOR` forbids it, and `FORCE_COLOR` decides otherwise (`0` and `false` forbid it).
 * Without them, a terminal gets colour unless `TERM` is `dumb`.
 */
export function isColoured({ isTTY }: Destination, env: Readonly<Record<string, string | undefined>>): boolean {
  const { NO_COLOR: forbidden = '', FORCE_COLOR: forced, TERM: kind } = env
  if (forbidden !== '') return false
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTTY === true && kind !== 'dumb'
}

export function painter(coloured: boolean): Paint {
  // `validateStream` checks stdout, but the text may go to stderr.
  return coloured ? (format, text) => styleText(format, text, { validateStream: false }) : (_format, text) => text
}
