/** Makes a value of what was typed, or of what a file or the environment says. */
export type ValueReader<Value> = (text: string) => Value

/** A text is not what belongs in its place. Whoever asked for it adds where the text came from. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
  /** What belongs there, in words: `a whole number from 0 to 65535`. */
  readonly expected: string
  /** What was there, where it may be shown. */
  readonly found: string | undefined

  constructor(expected: string, found?: string) {
    super(`it takes ${expected}`)
    this.expected = expected
    this.found = found
  }
}

/** Any text but the empty one. */
export function text(given: string): string {
  if (given === '') throw new Unreadable('a text that is not empty', given)
  return given
}

/** The path of a file or a folder. */
export function path(given: string): string {
  if (given === '') throw new Unreadable('a path', given)
  return given
}

/** A whole number within bounds, both included. */
export function wholeNumber(least = 0, most = Number.MAX_SAFE_INTEGER): ValueReader<number> {
  return (given) => {
    const number = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
    if (number >= least && number <= most) return number
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
    throw new Unreadable(`a whole number ${range}`, given)
  }
}

/** A TCP port; 0 is a free one. */
export const port: ValueReader<number> = wholeNumber(0, 65_535)

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** A length of time such as `90s`, `5m` or `2h`; a bare number is seconds. In milliseconds. */
export function duration(given: string): number {
  const [, amount = '', unit = 's'] = /^(\d{1,9}(?:\.\d+)?)(ms|s|m|h)?$/.exec(given) ?? []
  const factor = UNIT_MS[unit]
  if (amount === '' || factor === undefined) throw new Unreadable('a time such as 30s, 5m or 2h', given)
  return Math.round(Number(amount) * factor)
}

/** An `http` or `https` URL. Credentials in it are refused, and not shown. */
export function httpUrl(given: string): string {
  const url = URL.parse(given)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Unreadable('an http or https URL', given)
  }
  if (url.username !== '' || url.password !== '') throw new Unreadable('a URL without credentials')
  return given
}

/** One of a few words. Completions offer them. */
export function oneOf<const Choice extends string>(choices: readonly Choice[]): ChoiceReader<Choice> {
  const read = (given: string): Choice => {
    const choice = choices.find((each) => each === given)
    if (choice === undefined) throw new Unreadable(`one of ${choices.join(', ')}`, given)
    return choice
  }
  return Object.assign(read, { choices })
}

/** A reader that knows all that it accepts. */
export interface ChoiceReader<Choice extends string> extends ValueReader<Choice> {
  readonly choices: readonly Choice[]
}

/** What a reader accepts, where that is a list of words. */
export function choicesOf(read: ValueReader<unknown>): readonly string[] {
  return 'choices' in read && Array.isArray(read.choices) ? read.choices : []
}
