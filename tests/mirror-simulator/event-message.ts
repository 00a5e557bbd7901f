import type { Delivery } from '@notewire/mock-server'

/** An event about a note, on its way. */
export interface Letter {
  readonly id: string
  readonly kind: string
  readonly noteId: string
  readonly body: string
  /** The moment of what it tells of, or a later one. */
  readonly writtenAt: number
}

type Event = Pick<Delivery, 'event_id' | 'event_type' | 'body'>

export function letterOf({ event_id, event_type, body }: Event, noteId: string, writtenAt: number): Letter {
  return { id: event_id, kind: event_type, noteId, body, writtenAt }
}

/** The note that an event is about; `''` when it is about none. */
export function noteIdIn({ body }: Event): string {
  const { data }: { readonly data: { readonly note_id?: string } } = JSON.parse(body)
  return data.note_id ?? ''
}
