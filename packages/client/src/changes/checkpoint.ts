import { isBytes, OptionError } from '@notewire/protocol'

/** The progress of a sync. Times are milliseconds since the Unix epoch of the service's clock. */
export interface Progress {
  /** The watermark that this sync starts from; `null` for the first sync. */
  readonly since: number | null
  /** Set after the first page of a sync, until its last. */
  readonly underWay?: {
    /** Of the next page. */
    readonly cursor: string
    /** The watermark that the next sync will start from. */
    readonly until: number | null
    /** The number of pages in a row without a new note before the next page. @default 0 */
    readonly idlePages?: number
  }
}

const VERSION = '1'
const FORM = /^changes\.(?<version>\d+)\.(?<payload>[A-Za-z0-9_-]+)$/

/**
 * Writes progress as a checkpoint: ASCII without spaces. White space before the JSON is the number of idle pages in binary: a space is 0, a
 * tab is 1. Earlier versions of the client reject a checkpoint with another fact, but ignore white space.
 */
export function encodeCheckpoint({ since, underWay }: Progress): string {
  const facts = underWay === undefined ? [since] : [since, underWay.until, underWay.cursor]
  const count = underWay?.idlePages ? underWay.idlePages.toString(2).replaceAll('0', ' ').replaceAll('1', '\t') : ''
  return `changes.${VERSION}.${toBase64url(`${count}${JSON.stringify(facts)}`)}`
}

/**
 * Reads a checkpoint.
 *
 * @throws `OptionError` for an invalid checkpoint, or one of another version; the error never quotes it
 */
export function decodeCheckpoint(checkpoint: unknown): Progress {
  refuseOther(checkpoint)
  const { version, payload = '' } = (typeof checkpoint === 'string' && FORM.exec(checkpoint)?.groups) || {}
  if (version !== undefined && version !== VERSION) {
    throw unusable(
      `was made by another version of this client (checkpoint version ${version}; this client reads version ${VERSION})`,
    )
  }
  const json = jsonIn(payload)
  const progress = progressOf(factsIn(json), idlePagesIn(json))
  if (progress === undefined) throw unusable('is not a complete checkpoint')
  return progress
}

function jsonIn(payload: string): string {
  try {
    return atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return ''
  }
}

function idlePagesIn(json: string): number {
  // The number ends where the array begins.
  const count = Number.parseInt(json.replaceAll(' ', '0').replaceAll('\t', '1'), 2)
  return Number.isSafeInteger(count) ? count : 0
}

function factsIn(json: string): readonly unknown[] {
  try {
    const facts: unknown = JSON.parse(json)
    return Array.isArray(facts) ? facts : []
  } catch {
    return []
  }
}

function progressOf([since, until, cursor, ...more]: readonly unknown[], idlePages: number): Progress | undefined {
  if (!isWatermark(since) || more.length > 0) return undefined
  if (until === undefined) return { since }
  return isWatermark(until) && typeof cursor === 'string' && cursor !== ''
    ? { since, underWay: { until, cursor, ...(idlePages > 0 && { idlePages }) } }
    : undefined
}

const LATEST_DATE_MS = 8_640_000_000_000_000

function isWatermark(value: unknown): value is number | null {
  return value === null || (Number.isSafeInteger(value) && Math.abs(Number(value)) <= LATEST_DATE_MS)
}

function toBase64url(json: string): string {
  // btoa accepts only Latin-1. A cursor may be any text.
  const ascii = json.replace(/[^\t\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return btoa(ascii).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function unusable(problem: string): OptionError {
  return new OptionError(
    'after',
    `after ${problem}. Pass the checkpoint of a page unchanged. If you no longer have it, omit after and sync everything again.`,
  )
}

function refuseOther(given: unknown): void {
  const refusal = (problem: string) => new OptionError('after', `after is ${problem}`)
  if (isBytes(given)) throw refusal("bytes. Read the file as text: await readFile('checkpoint', 'utf8').")
  if (typeof Object(given).then === 'function') throw refusal('a promise. Pass the checkpoint itself: await it.')
  if (!(given instanceof Date)) return
  throw refusal('a date. Pass the checkpoint of a page unchanged, or use notes.list({ updated_after }).')
}
