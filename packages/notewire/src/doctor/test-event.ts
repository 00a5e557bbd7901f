import { randomUUID } from 'node:crypto'

/** Fields to add to an event, or to replace; `undefined` removes one. */
export type Fields = Readonly<Record<string, unknown>>

export interface TestEvent {
  readonly event_id: string
  readonly event_type: string
  readonly occurred_at: string
  readonly data: Fields
}

/**
 * Makes an event of the contract's shape (§6) about a note that does not exist.
 */
export function testEvent(kind: string, data: Fields = {}, fields: Fields = {}): TestEvent {
  return {
    event_id: testId('event'),
    event_type: kind,
    occurred_at: new Date().toISOString(),
    data: { ...dataOf(kind), ...data },
    ...fields,
  }
}

export function eventBody(kind = 'note.updated', data: Fields = {}, fields: Fields = {}): string {
  return JSON.stringify(testEvent(kind, data, fields))
}

/** A new ID. Every ID of the doctor starts with `doctor_`, so that it never names a real note. */
export function testId(of: 'event' | 'note' | 'session' | 'endpoint' | 'attempt'): string {
  return `doctor_${of}_${randomUUID().replaceAll('-', '').slice(0, 20)}`
}

function dataOf(kind: string): Fields {
  if (kind.startsWith('endpoint.')) return { endpoint_id: testId('endpoint') }
  return {
    note_id: testId('note'),
    revision: 1,
    transcript_status: 'ready',
    summary_status: 'pending',
    ...(kind === 'note.ended' && { recording_session_id: testId('session') }),
    ...(kind === 'note.deleted' && { reason: 'deleted' }),
  }
}
