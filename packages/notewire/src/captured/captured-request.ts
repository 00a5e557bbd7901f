import { CommandError } from '../errors/failure.ts'

/** A request as it was captured, with the bytes of its body unchanged. */
export interface CapturedRequest {
  readonly format: 'raw' | 'har'
  /** The number of the request in an HTTP archive, from 1; 1 for a raw request. */
  readonly entry: number
  readonly method: string | undefined
  /** The values of each header, by its name in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly body: Uint8Array
  /** In milliseconds since the Unix epoch, if the capture contains it. */
  readonly capturedAt: number | undefined
}

export function groupHeaders(
  headers: readonly { readonly name: string; readonly value: string }[],
): CapturedRequest['headers'] {
  const groups = Map.groupBy(headers, ({ name }) => name.toLowerCase())
  return Object.fromEntries([...groups].map(([name, found]) => [name, found.map(({ value }) => value)]))
}

export function timeOf(date: unknown): number | undefined {
  const time = Date.parse(String(date))
  return Number.isNaN(time) ? undefined : time
}

/** @param problem  a sentence without its subject, such as "is empty. Pass …"; it must not quote the capture */
export function unreadable(problem: string): CommandError {
  return new CommandError('capture_unreadable', `the captured delivery ${problem}`)
}
