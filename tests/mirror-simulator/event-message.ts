import type { Delivery } from '@notewire/mock-server'

/** An event about a note, to be delivered. */
export interface EventMessage {
  readonly id: string
  readonly kind: string
  readonly noteId: string
  readonly body: string
  /** When the announced change happened, or later, by the logical clock; 0 for an event that is sent before its change. */
  readonly writtenAt: number
}

type Event = Pick<Delivery, 'event_id' | 'event_type' | 'body'>

export function messageOf({ event_id, event_type, body }: Event, noteId: string, writtenAt: number): EventMessage {
  return { id: event_id, kind: event_type, noteId, body, writtenAt }
}

/** The note id in an event; `''` if there is none. */
export function noteIdIn({ body }: Event): string {
  const { data }: { readonly data: { readonly note_id?: string } } = JSON.parse(body)
  return data.note_id ?? ''
}
