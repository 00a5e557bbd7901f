import { expect, it } from 'vitest'
import { recordingSessionSchema } from './note.ts'

it('a recording session is known by its recording_session_id', () => {
  const session = { recording_session_id: 'session_1', started_at: '2026-05-01T09:00:00Z' }
  expect(recordingSessionSchema.parse(session)).toEqual(session)
  expect(recordingSessionSchema.safeParse({}).success).toBe(false)
})
