import { type CapturedHeader, valuesOf } from '../captured-request.ts'
import { carriedReadings } from './carried-readings.ts'
import { type Difference, distinct, type Reading } from './difference.ts'
import { encodedReadings } from './encoded-readings.ts'
import { jsonReadings } from './json-readings.ts'

/** Larger bodies are no notifications: they are only tried as they came, and with what stands around them. */
const LARGEST_REWRITTEN_BYTES = 32 * 1024

/**
 * The bodies that may have been signed, if this is what arrived: the body itself first, then what comes of undoing what
 * parsers, proxies and editors do to bodies. One of them is JSON, or none can be rewritten.
 */
export function bodyReadings(body: Uint8Array, headers: readonly CapturedHeader[]): readonly Reading<Uint8Array>[] {
  const came: Reading<Uint8Array> = { value: body, differences: [] }
  if (body.length > LARGEST_REWRITTEN_BYTES) return distinctBodies([came, ...undone(carriedReadings(body), [])])
  const declared = Number(valuesOf(headers, 'content-length')[0])
  const decoded = [came, ...undone(encodedReadings(body), []), ...undone(cutToDeclared(body, declared), [])]
  const bases = distinctBodies([...decoded, ...furtherUndone(decoded, carriedReadings)])
  // Of readings that come to the same, the first is kept: what stands around a body is likelier than a parser.
  const written = distinctBodies([...bases, ...furtherUndone(bases, jsonReadings)])
  return distinctBodies([...written, ...furtherUndone(written.filter(isWrittenAgain), lostNewlines)])
}

function furtherUndone(
  readings: readonly Reading<Uint8Array>[],
  undo: (body: Uint8Array) => readonly Reading<Uint8Array>[],
): readonly Reading<Uint8Array>[] {
  return readings.flatMap(({ value, differences }) => undone(undo(value), differences))
}

/** Some services end their JSON with a line break, which a parser takes off. */
function isWrittenAgain({ differences }: Reading<Uint8Array>): boolean {
  return differences.length === 1 && differences[0]?.code === 'body_reserialised'
}

function lostNewlines(body: Uint8Array): readonly Reading<Uint8Array>[] {
  return carriedReadings(body).filter(({ differences }) => differences[0]?.code === 'body_newline_lost')
}

function undone(
  readings: readonly Reading<Uint8Array>[],
  before: readonly Difference[],
): readonly Reading<Uint8Array>[] {
  return readings.map(({ value, differences }) => ({ value, differences: [...before, ...differences] }))
}

function distinctBodies(readings: readonly Reading<Uint8Array>[]): readonly Reading<Uint8Array>[] {
  return distinct(readings, (bytes) => Buffer.from(bytes).toString('latin1'))
}

function cutToDeclared(body: Uint8Array, declared: number): readonly Reading<Uint8Array>[] {
  if (!Number.isSafeInteger(declared) || declared <= 0 || declared >= body.length) return []
  return [
    {
      value: body.slice(0, declared),
      differences: [
        {
          code: 'body_longer_than_declared',
          subject: 'body',
          what: `the body was lengthened: content-length says ${declared} bytes, and ${body.length} are there`,
          fix: 'Save the capture without what an editor or a log put behind the body.',
        },
      ],
    },
  ]
}
