import { CommandError } from '../errors/failure.ts'

/** A request as it was captured, with the bytes of its body unchanged. */
export interface CapturedRequest {
  readonly format: 'raw' | 'har'
  /** The number of the request in an HTTP archive, from 1; 1 for a raw request. */
  readonly entry: number
  /** `undefined` where the capture does not have it. */
  readonly method: string | undefined
  /** By name in lower case. A header that was captured twice has two values. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly body: Uint8Array
  /** When it was captured, in milliseconds since the Unix epoch, where the capture says so. */
  readonly capturedAt: number | undefined
}

/** Groups headers by their name in lower case. */
export function groupHeaders(
  headers: readonly { readonly name: string; readonly value: string }[],
): CapturedRequest['headers'] {
  const grouped = Object.groupBy(headers, ({ name }) => name.toLowerCase())
  return Object.fromEntries(
    Object.entries(grouped).map(([name, found = []]) => [name, found.map(({ value }) => value)]),
  )
}

/** Whether a request is a POST with one of the headers of a delivery. */
export function looksLikeDelivery({ method, headers }: CapturedRequest): boolean {
  const isPost = method === undefined || method.toUpperCase() === 'POST'
  return isPost && Object.keys(headers).some((name) => /(?:webhook|svix)[-_](?:id|timestamp|signature)$/.test(name))
}

/** @param problem  a sentence without its subject, and without a part of the capture: "is empty. Pass …" */
export function unreadable(problem: string): CommandError {
  return new CommandError('capture_unreadable', `the captured delivery ${problem}`)
}
