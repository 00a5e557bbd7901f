import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENDPOINT_EVENT_KINDS, NOTE_EVENT_KINDS } from '../contract.ts'
import { readEvent, readEventWithDrift } from './read-event.ts'

const aBody = (kind: string, data: unknown) => ({
  event_id: 'event_1',
  event_type: kind,
  occurred_at: '2026-05-01T10:00:00Z',
  data,
})
const aNote = { note_id: 'note_1', revision: 3, recording_session_id: 'session_1' }

describe.each(NOTE_EVENT_KINDS)('a body of kind %s', (kind) => {
  it('is read unchanged, with its unknown fields (§6, row 31)', () => {
    const body = { ...aBody(kind, { ...aNote, transcript_status: 'ready', language: 'en' }), attempt: 2 }
    expect(readEvent(body)).toEqual(body)
  })

  it('may have statuses that the contract does not list', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (transcript_status, summary_status) => {
        const body = aBody(kind, { ...aNote, transcript_status, summary_status })
        expect(readEvent(body)).toEqual(body)
      }),
    )
  })

  it.each(['event_id', 'data'])('needs %s', (field) => {
    expect(() => readEvent({ ...aBody(kind, aNote), [field]: undefined })).toThrow(
      expect.objectContaining({ path: field }),
    )
  })

  it('needs data.note_id', () => {
    expect(() => readEvent(aBody(kind, { ...aNote, note_id: undefined }))).toThrow(
      expect.objectContaining({ path: 'data.note_id' }),
    )
  })
})

describe('data.revision', () => {
  const UNUSABLE = [undefined, null, '7', -1, 1.5, 2 ** 53, {}]

  it.each(NOTE_EVENT_KINDS.filter((kind) => kind !== 'note.deleted'))('is needed in %s', (kind) => {
    for (const revision of UNUSABLE) {
      expect(() => readEvent(aBody(kind, { ...aNote, revision }))).toThrow(
        expect.objectContaining({ path: 'data.revision' }),
      )
    }
  })

  it.each(UNUSABLE)('is left out of note.deleted and reported as drift if it is %j (open point 38)', (revision) => {
    const { event, drift } = readEventWithDrift(aBody('note.deleted', { ...aNote, revision, reason: 'access_lost' }))
    const { revision: _, ...others } = aNote
    expect(event.data).toEqual({ ...others, reason: 'access_lost' })
    expect(event.data).not.toHaveProperty('revision')
    expect(drift).toMatchObject([{ path: 'data.revision' }])
  })

  it('may be left out of note.deleted together with all other fields but note_id', () => {
    const least = { event_id: 'event_1', event_type: 'note.deleted', data: { note_id: 'note_1' } }
    expect(readEvent(least)).toEqual(least)
  })
})

describe.each(NOTE_EVENT_KINDS)('a field of %s that is not required (open point 31)', (kind) => {
  const OTHERS = ['recording_session_id', 'transcript_status', 'summary_status']

  it('may be absent, also together with all others', () => {
    const least = { event_id: 'event_1', event_type: kind, data: { note_id: 'note_1', revision: 3 } }
    expect(readEvent(least)).toEqual(least)
  })

  it.each(OTHERS)('is left out and reported as drift when it has another type: data.%s', (field) => {
    for (const wrong of [7, true, {}, ['a']]) {
      const { event, drift } = readEventWithDrift(aBody(kind, { ...aNote, [field]: wrong, extra: 1 }))
      expect(event.data).not.toHaveProperty(field)
      expect(event.data).toMatchObject({ note_id: 'note_1', revision: 3, extra: 1 })
      expect(drift).toEqual([
        { path: `data.${field}`, expected: 'string', found: Array.isArray(wrong) ? 'array' : typeof wrong },
      ])
    }
  })

  it.each([undefined, null, 7, {}])(
    'is left out and reported as drift when it is not a string: occurred_at %j',
    (wrong) => {
      const { event, drift } = readEventWithDrift({ ...aBody(kind, aNote), occurred_at: wrong })
      expect(event).not.toHaveProperty('occurred_at')
      expect(drift).toMatchObject([{ path: 'occurred_at', expected: 'string' }])
    },
  )

  it.each(['', 'a\0', '\ud83d', 'x'.repeat(513)])(
    'is left out when it is a session that stores cannot keep',
    (session) => {
      const { event, drift } = readEventWithDrift(aBody(kind, { ...aNote, recording_session_id: session }))
      expect(event.data).not.toHaveProperty('recording_session_id')
      expect(drift).toMatchObject([{ path: 'data.recording_session_id', found: 'string' }])
    },
  )

  it('is left out of the event, but not removed from the body that was passed', () => {
    const body = aBody(kind, { ...aNote, transcript_status: 7 })
    const before = structuredClone(body)
    readEvent(body)
    expect(body).toEqual(before)
  })
})

describe('a recording session', () => {
  const aNoteAlone = { note_id: 'note_1', revision: 3 }

  it.each([undefined, null])('may be %s in note.ended, and is reported as drift', (session) => {
    const { event, drift } = readEventWithDrift(aBody('note.ended', { ...aNoteAlone, recording_session_id: session }))
    expect(event.data).toEqual(aNoteAlone)
    expect(drift).toHaveLength(1)
  })

  it.each(['note.summary.generated', 'note.updated', 'note.deleted'])('may be left out of %s', (kind) => {
    expect(readEventWithDrift(aBody(kind, aNoteAlone))).toEqual({ event: aBody(kind, aNoteAlone), drift: [] })
    const withNull = aBody(kind, { ...aNoteAlone, recording_session_id: null })
    expect(readEventWithDrift(withNull)).toEqual({ event: withNull, drift: [] })
  })
})

describe('an identifier that stores cannot keep', () => {
  it.each(['', 'a\0', '\ud83d', 'x'.repeat(513)])('is refused: %j', (id) => {
    for (const kind of [...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS, 'note.merged']) {
      expect(() => readEvent({ ...aBody(kind, aNote), event_id: id })).toThrow(
        expect.objectContaining({ path: 'event_id' }),
      )
    }
    for (const kind of NOTE_EVENT_KINDS) {
      expect(() => readEvent(aBody(kind, { ...aNote, note_id: id }))).toThrow(
        expect.objectContaining({ path: 'data.note_id' }),
      )
    }
  })

  it('is left out of the data of an unknown kind', () => {
    const { event, drift } = readEventWithDrift(aBody('note.merged', { note_id: 'a\0', into: 'note_2' }))
    expect(event.data).toEqual({ into: 'note_2' })
    expect(drift).toMatchObject([{ path: 'data.note_id' }])
  })
})

describe('the reason of a deletion', () => {
  it.each(['deleted', 'access_lost', 'expired', null])('may be %s', (reason) => {
    expect(readEvent(aBody('note.deleted', { ...aNote, reason }))).toHaveProperty('data.reason', reason)
  })

  it('may be left out', () => expect(readEvent(aBody('note.deleted', aNote))).not.toHaveProperty('data.reason'))

  it.each(['note.ended', 'note.updated'])('may be null in %s (open point 12)', (kind) => {
    expect(readEvent(aBody(kind, { ...aNote, reason: null }))).toHaveProperty('data.reason', null)
  })
})

describe.each(ENDPOINT_EVENT_KINDS)('a body of kind %s (open point 11)', (kind) => {
  it('has the id of the endpoint', () => {
    expect(readEvent(aBody(kind, { endpoint_id: 'endpoint_1' }))).toHaveProperty('data.endpoint_id', 'endpoint_1')
  })

  it.each([7, 'text', ['a']])('may have data that is not an object, which is left out: %j', (data) => {
    const { event, drift } = readEventWithDrift(aBody(kind, data))
    expect(event.data).toEqual({})
    expect(drift).toMatchObject([{ path: 'data', expected: 'object' }])
  })

  it('may have an endpoint_id that is not a string, which is left out', () => {
    expect(readEvent(aBody(kind, { endpoint_id: 7, extra: 1 })).data).toEqual({ extra: 1 })
  })

  it.each([{}, undefined, null])('may have the data %j', (data) => {
    expect(readEvent(aBody(kind, data)).data).toEqual({})
  })
})

describe('an event of an unknown kind (open point 26)', () => {
  const unknownKind = fc
    .string({ minLength: 1 })
    .filter((kind) => ![...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS].some((known) => known === kind))

  const aField = fc.stringMatching(/^\w+$/).filter((name) => name !== '__proto__')

  it('is read with any kind and any data (row 26)', () => {
    fc.assert(
      fc.property(unknownKind, fc.dictionary(aField, fc.jsonValue()), (kind, data) => {
        expect(readEvent(aBody(kind, data))).toEqual(aBody(kind, data))
      }),
    )
  })

  it.each([undefined, null])('may have the data %j', (data) => {
    expect(readEvent(aBody('note.merged', data)).data).toEqual({})
  })

  it('may have data that is not an object, which is left out', () => {
    expect(readEvent(aBody('note.merged', 'text')).data).toEqual({})
  })

  it('may have no occurred_at', () => {
    expect(readEvent({ event_id: 'event_1', event_type: 'note.merged' })).not.toHaveProperty('occurred_at')
  })

  it('needs an event_id, because duplicates are recognised by it', () => {
    expect(() => readEvent({ event_type: 'note.merged' })).toThrow(expect.objectContaining({ path: 'event_id' }))
  })

  it.each([undefined, '', 7])('is refused without a kind: %j', (kind) => {
    expect(() => readEvent({ event_id: 'event_1', event_type: kind })).toThrow(
      expect.objectContaining({ path: 'event_type' }),
    )
  })
})
