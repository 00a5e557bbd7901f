import type { EventKind } from '@notewire/protocol'
import { control } from './control.ts'

/** Where `notewire mock` listens by default. */
export const MOCK_URL = 'http://127.0.0.1:4010'

const TIMING: Readonly<Partial<Record<EventKind, string>>> = {
  'note.ended': 'It is sent at once; note.summary.generated follows in 5 to 30 s.',
  'note.summary.generated': 'note.ended is sent at once, and this event follows in 5 to 30 s.',
  'note.updated': 'It is sent 5 s after the last edit.',
}

/** When a mock server sends an event of this kind, in a sentence. */
export function timingOf(kind: EventKind): string {
  return TIMING[kind] ?? 'It is sent at once.'
}

/** The fields of the request (docs/mock-server/control-api.md). */
export interface Trigger {
  readonly event_type: EventKind
  /** Default: a new note. */
  readonly note_id?: string | undefined
  readonly title?: string | undefined
  readonly reason?: 'deleted' | 'access_lost' | undefined
  readonly endpoint_id?: string | undefined
}

export interface Triggered {
  readonly event_type: EventKind
  readonly note_id?: string
  readonly endpoint_ids?: readonly string[]
}

/** Makes an event happen at a mock server. @throws CommandError when it refuses, or is no mock server */
export function triggerEvent(baseUrl: string, trigger: Trigger, signal: AbortSignal): Promise<Triggered> {
  return control<Triggered>(baseUrl, '/control/trigger', trigger, signal)
}
