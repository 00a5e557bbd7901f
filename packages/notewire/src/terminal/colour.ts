import { styleText } from 'node:util'

/** How a piece of text looks, by the names of `styleText`. */
export type Format = Parameters<typeof styleText>[0]

/** Colours a text, or leaves it as it is. */
export type Paint = (format: Format, text: string) => string

/** Where text goes, as far as colour is concerned. */
interface Destination {
  readonly isTTY?: boolean | undefined
}

/**
 * Decides whether a stream gets colour: `NO_COLOR` says no, `FORCE_COLOR` says yes (`0` and `false` no), and otherwise a terminal
 * that is not dumb gets it.
 */
export function isColoured({ isTTY }: Destination, env: Readonly<Record<string, string | undefined>>): boolean {
  const { NO_COLOR: refused = '', FORCE_COLOR: forced, TERM: kind } = env
  if (refused !== '') return false
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTTY === true && kind !== 'dumb'
}

/** A way to colour text for one stream. */
export function painter(coloured: boolean): Paint {
  // Without its own look at stdout, which need not be where the text goes.
  return coloured ? (format, text) => styleText(format, text, { validateStream: false }) : (_format, text) => text
}
