import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENDPOINT_EVENT_KINDS, NOTE_EVENT_KINDS } from '../contract.ts'
import { ShapeError } from '../errors.ts'
import { isEndpointEventKind, isNoteEventKind } from '../event.ts'
import { eventSchemas, unknownEventSchema } from './event.ts'
import { readEvent, readEventWithDrift } from './read-event.ts'
import { readShape, readShapeWithDrift } from './read-shape.ts'
import {
  noteSchema,
  summarySchema,
  transcriptSchema,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
} from './resources.ts'

/** A value of JSON that may be right, null, of another type, or nearly right. */
function maybe(right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const wrong = fc.constantFrom<unknown>(
    null,
    '',
    0,
    -1,
    1.5,
    2 ** 53,
    true,
    [],
    {},
    'text',
    [7],
    { a: 1 },
    'a\0',
    '\ud83d',
    'x'.repeat(513),
  )
  return fc.oneof({ weight: 8, arbitrary: right }, { weight: 1, arbitrary: wrong })
}

function anObject(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const each = Object.fromEntries(Object.entries(fields).map(([name, right]) => [name, maybe(right)]))
  return maybe(fc.record(each, { requiredKeys: [] }))
}

const aText = fc.string({ minLength: 1, maxLength: 5 })
const aRevision = fc.nat()
const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, aText]))

const aNote = anObject({
  ...texts('note_id', 'id', 'title', 'content', 'status', 'transcript_status', 'summary_status', 'created_at'),
  ...texts('updated_at', 'ended_at', 'deleted_at', 'extra'),
  revision: aRevision,
  owner: anObject(texts('type', 'channel_id')),
})
const aSegment = anObject({ ...texts('speaker', 'text'), start_ms: fc.nat(), end_ms: fc.nat() })
const aTranscript = anObject({ ...texts('note_id', 'id', 'text'), revision: aRevision, segments: fc.array(aSegment) })
const aSummary = anObject({ ...texts('note_id', 'id', 'status', 'markdown'), revision: aRevision })
const anEndpoint = anObject({
  ...texts('endpoint_id', 'id', 'url', 'status', 'created_at', 'signing_secret'),
  events: fc.array(maybe(aText)),
})
const anEvent = anObject({
  ...texts('event_id', 'occurred_at'),
  event_type: fc.constantFrom(...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS, 'note.merged'),
  data: anObject({
    ...texts('note_id', 'recording_session_id', 'transcript_status', 'summary_status', 'reason', 'endpoint_id'),
    revision: aRevision,
  }),
})

const RUNS = { numRuns: 2000 }

/** The fields of resources that must be right: anything else of another type is left out. */
const REQUIRED = /^(?:|note_id|endpoint_id|revision|text|markdown|signing_secret|segments|segments\.text)$/

const VALID_VALUES: Readonly<Record<string, unknown>> = {
  '': {},
  revision: 1,
  segments: [],
  start_ms: 0,
  end_ms: 0,
  owner: { type: 'personal' },
  events: [],
  data: { note_id: 'note_1', revision: 1 },
}

/** The value with a valid value at the path: `segments[1].text`. */
function repaired(value: unknown, path: string): unknown {
  const keys = keysOf(path)
  const field = keys.findLast((key) => Number.isNaN(Number(key))) ?? ''
  // A path that ends in a number is an item of a list: of `segments` or of `events`.
  const isItem = keys.length > 0 && keys.at(-1) !== field
  const rightItem = field === 'segments' ? { text: '' } : 'text'
  const right = isItem ? rightItem : (VALID_VALUES[field] ?? 'text')
  return withValueAt(value, keys, right)
}

function keysOf(path: string): readonly string[] {
  return path.split(/[.[\]]+/).filter((key) => key !== '')
}

/** Removes the field that is absent because of a problem at a path: the whole owner for `owner.type`, all events for `events[1]`. */
function dropOutermost(value: object, keys: readonly string[]): void {
  const required = ['type', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10']
  const depth = keys.findLastIndex((key) => !required.includes(key))
  const holder = keys.slice(0, depth).reduce<unknown>((part, key) => Object(part)[key], value)
  if (typeof holder === 'object' && holder !== null) Reflect.deleteProperty(holder, keys[depth] ?? '')
}

function withValueAt(value: unknown, [key, ...rest]: readonly string[], right: unknown): unknown {
  if (key === undefined) return right
  const inner = withValueAt(Object(value)[key], rest, right)
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...Object(value), [key]: inner }
}

/** The path of the ShapeError, or `undefined` if the value is accepted. */
function pathOfRefusal(read: (value: unknown) => unknown, value: unknown): string | undefined {
  try {
    read(value)
    return undefined
  } catch (error) {
    if (error instanceof ShapeError) return error.path
    throw error
  }
}

const resources = [
  ['note', aNote, noteSchema],
  ['transcript', aTranscript, transcriptSchema],
  ['summary', aSummary, summarySchema],
  ['endpoint', anEndpoint, webhookEndpointSchema],
  ['endpoint with its secret', anEndpoint, webhookEndpointWithSecretSchema],
] as const

describe.each(resources)('a nearly right %s', (_what, anything, schema) => {
  const read = (value: unknown) => readShape<object>(schema, value, 'it')

  it('is accepted with every field but those that are reported, or refused by ShapeError with a required field', () => {
    let accepted = 0
    fc.assert(
      fc.property(anything, (value) => {
        const reading = readShapeWithDrift<object>(schema, value, 'it')
        if (reading.status === 'refused') {
          expect(reading.error.path.replaceAll(/\[\d+\]/g, '')).toMatch(REQUIRED)
          expect(reading.error.path).toBe(pathOfRefusal(read, value))
          return
        }
        accepted += 1
        const expected = structuredClone(value) as object
        for (const { path } of reading.drift) dropOutermost(expected, keysOf(path))
        expect(reading.value).toMatchObject(expected)
        const withoutAliases = { ...reading.value, ...expected }
        expect(reading.value).toStrictEqual(withoutAliases)
        expect(schema.parse(value)).toEqual(read(value))
      }),
      RUNS,
    )
    expect(accepted).toBeGreaterThan(100)
  })

  it('is refused with the path of the wrong value, and is accepted after the wrong values are repaired', () => {
    fc.assert(
      fc.property(anything, (value) => {
        let current = value
        const seen = new Set<string>()
        for (let path = pathOfRefusal(read, current); path !== undefined; path = pathOfRefusal(read, current)) {
          expect(seen).not.toContain(path)
          seen.add(path)
          current = repaired(current, path)
        }
      }),
      RUNS,
    )
  })
})

describe('a nearly right event', () => {
  it('is read by readEvent as by its schema, or refused by both', () => {
    let accepted = 0
    fc.assert(
      fc.property(anEvent, (body) => {
        const { success, data } = schemaFor(body).safeParse(body)
        expect(success).toBe(pathOfRefusal(readEvent, body) === undefined)
        if (!success) return
        accepted += 1
        expect(readEvent(body)).toEqual(data)
      }),
      RUNS,
    )
    expect(accepted).toBeGreaterThan(100)
  })

  it('is read without drift after the refused fields and the fields with drift are repaired', () => {
    fc.assert(
      fc.property(anEvent, (body) => {
        let current = body
        for (
          let path = pathOfRefusal(readEvent, current);
          path !== undefined;
          path = pathOfRefusal(readEvent, current)
        ) {
          current = repaired(current, path)
        }
        const { drift } = readEventWithDrift(current)
        expect(new Set(drift.map(({ path }) => path)).size).toBe(drift.length)
        for (const { path } of drift) current = repaired(current, path)
        expect(readEventWithDrift(current).drift).toEqual([])
      }),
      RUNS,
    )
  })

  it('loses no fields except those that are reported as drift', () => {
    fc.assert(
      fc.property(anEvent, (body) => {
        if (pathOfRefusal(readEvent, body) !== undefined) return
        const { event, drift } = readEventWithDrift(body)
        const lost = drift.filter(({ found }) => found !== 'nothing').map(({ path }) => path)
        for (const path of lost.filter((path) => path !== 'data')) expect(event).not.toHaveProperty(path)
        const sent = Object.entries(Object(body)).filter(([name]) => name !== 'data' && !lost.includes(name))
        expect(event).toMatchObject(Object.fromEntries(sent))
        const sentData = Object.entries(Object(Object(body).data)).filter(([name]) => !lost.includes(`data.${name}`))
        if (!lost.includes('data')) expect(event.data).toMatchObject(Object.fromEntries(sentData))
      }),
      RUNS,
    )
  })
})

function schemaFor(body: unknown): {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown }
} {
  const kind = String(Object(body).event_type)
  return isNoteEventKind(kind) || isEndpointEventKind(kind) ? eventSchemas[kind] : unknownEventSchema
}
