import { InvalidArgumentError } from '@commander-js/extra-typings'
import { isIntegrationId } from '@notewire/protocol'
import { UsageError } from '../errors/failure.ts'
import { isPrintable } from '../terminal/width.ts'

/** Reads the text of an option, an argument or a setting. @throws `InvalidArgumentError` that names the expected text */
export type ValueReader<Value> = (text: string) => Value

export const text = notEmpty('It takes a text that is not empty.')

export const path = notEmpty('It takes a path.')

/** The path of a URL. */
export function urlPath(given: string): string {
  if (given.startsWith('/') && !/[\s?#]/.test(given)) return given
  throw new InvalidArgumentError('It takes the path of a URL, such as /webhooks/notes.')
}

function notEmpty(expected: string): ValueReader<string> {
  return (given) => {
    if (given === '') throw new InvalidArgumentError(expected)
    return given
  }
}

export function integrationId(given: string): string {
  if (isIntegrationId(given)) return given
  throw new InvalidArgumentError('It takes 1 to 128 of the characters A-Z a-z 0-9 . _ ~ -, and not "." or "..".')
}

/** A whole number within bounds, both included. */
export function wholeNumber(least = 0, most = Number.MAX_SAFE_INTEGER): ValueReader<number> {
  return (given) => {
    const number = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN
    if (number >= least && number <= most) return number
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
    throw new InvalidArgumentError(`It takes a whole number ${range}.`)
  }
}

/** A TCP port. 0 selects a free port. */
export const port: ValueReader<number> = wholeNumber(0, 65_535)

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Reads a duration such as `90s`, `5m` or `2h`, in milliseconds. A number without a unit is in seconds. */
export function duration(given: string): number {
  const [, amount = '', unit = 's'] = /^(\d{1,9}(?:\.\d+)?)(ms|s|m|h)?$/.exec(given) ?? []
  const factor = UNIT_MS[unit]
  if (amount === '' || factor === undefined) throw new InvalidArgumentError('It takes a time such as 30s, 5m or 2h.')
  return Math.round(Number(amount) * factor)
}

/** An `http` or `https` URL. The error for a URL with credentials does not show the URL. */
export function httpUrl(given: string): string {
  // A parser of URLs removes line breaks, but other readers of the setting do not.
  const url = isPrintable(given) ? URL.parse(given) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new InvalidArgumentError('It takes an http or https URL.')
  }
  if (url.username !== '' || url.password !== '') {
    const message = 'the program takes a URL without credentials. Remove the user name and the password from the URL.'
    throw new UsageError(message)
  }
  return given
}

export function repeated<Value>(read: ValueReader<Value>) {
  return (text: string, previous: readonly Value[] = []): readonly Value[] => [...previous, read(text)]
}

export function oneOf<const Choice extends string>(choices: readonly Choice[]): ValueReader<Choice> {
  return (given) => {
    const choice = choices.find((each) => each === given)
    if (choice === undefined) throw new InvalidArgumentError(`It takes one of ${choices.join(', ')}.`)
    return choice
  }
}
