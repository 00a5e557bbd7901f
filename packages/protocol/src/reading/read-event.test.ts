import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENDPOINT_EVENT_KINDS, NOTE_EVENT_KINDS } from '../contract.ts'
import { readEvent } from './read-event.ts'

const aBody = (kind: string, data: unknown) => ({
  event_id: 'event_1',
  event_type: kind,
  occurred_at: '2026-05-01T10:00:00Z',
  data,
})
const aNote = { note_id: 'note_1', revision: 3, recording_session_id: 'session_1' }

describe.each(NOTE_EVENT_KINDS)('a body of kind %s', (kind) => {
  it('is read as it came, with the fields that this version does not know', () => {
    const body = { ...aBody(kind, { ...aNote, transcript_status: 'ready', language: 'en' }), attempt: 2 }
    expect(readEvent(body)).toEqual(body)
  })

  it('may name statuses that the contract does not list', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (transcript_status, summary_status) => {
        const body = aBody(kind, { ...aNote, transcript_status, summary_status })
        expect(readEvent(body)).toEqual(body)
      }),
    )
  })

  it.each(['event_id', 'occurred_at', 'data'])('needs %s', (field) => {
    expect(() => readEvent({ ...aBody(kind, aNote), [field]: undefined })).toThrow(
      expect.objectContaining({ path: field }),
    )
  })

  it.each(['note_id', 'revision'])('needs data.%s', (field) => {
    expect(() => readEvent(aBody(kind, { ...aNote, [field]: undefined }))).toThrow(
      expect.objectContaining({ path: `data.${field}` }),
    )
  })
})

describe('a recording session', () => {
  const aNoteAlone = { note_id: 'note_1', revision: 3 }

  it('is named when it ended (contract §6)', () => {
    expect(() => readEvent(aBody('note.ended', aNoteAlone))).toThrow('"data.recording_session_id"')
  })

  it.each(['note.summary.generated', 'note.updated', 'note.deleted'])('may be left out of %s', (kind) => {
    expect(readEvent(aBody(kind, aNoteAlone))).toEqual(aBody(kind, aNoteAlone))
    const withNull = aBody(kind, { ...aNoteAlone, recording_session_id: null })
    expect(readEvent(withNull)).toEqual(withNull)
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
  it('names the endpoint', () => {
    expect(readEvent(aBody(kind, { endpoint_id: 'endpoint_1' }))).toHaveProperty('data.endpoint_id', 'endpoint_1')
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

  it('is read, whatever its kind and its data', () => {
    fc.assert(
      fc.property(unknownKind, fc.dictionary(aField, fc.jsonValue()), (kind, data) => {
        expect(readEvent(aBody(kind, data))).toEqual(aBody(kind, data))
      }),
    )
  })

  it.each([undefined, null])('may have the data %j', (data) => {
    expect(readEvent(aBody('note.merged', data)).data).toEqual({})
  })

  it('may leave out when it happened', () => {
    expect(readEvent({ event_id: 'event_1', event_type: 'note.merged' }).occurred_at).toBe('')
  })

  it('needs an event_id, since without one it cannot be told from its duplicate', () => {
    expect(() => readEvent({ event_type: 'note.merged' })).toThrow(expect.objectContaining({ path: 'event_id' }))
  })

  it.each([undefined, '', 7])('is none without a kind: %j', (kind) => {
    expect(() => readEvent({ event_id: 'event_1', event_type: kind })).toThrow(
      expect.objectContaining({ path: 'event_type' }),
    )
  })
})
