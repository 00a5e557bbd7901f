import { isTombstone, type Note } from '@notewire/protocol'
import type { Answer } from './answer.ts'
import type { EventMessage } from './event-message.ts'

/** The evidence about a note that the mirror has received. Times are of the logical clock, `0` before the first. */
export interface NoteEvidence {
  /** When the latest request that found the note was sent. */
  foundAt: number
  /** When the latest request that did not find the note was sent. */
  notFoundAt: number
  /** When the latest acknowledged event arrived. */
  heardAt: number
  /** When the latest acknowledged deletion event arrived. */
  removalArrivedAt: number
  /** The time up to which events have announced the changes of the note. */
  announcedUpTo: number
  /** The same, for deletion events. */
  removalAnnouncedUpTo: number
  /** When the mirror last received evidence that the note may be gone. */
  possiblyGoneAt: number
}

/** The evidence that the mirror has received: answers that reached it, and events that it has acknowledged. */
export class ReceivedEvidence {
  readonly #notesField: string
  readonly #evidence = new Map<string, NoteEvidence>()
  /** The latest full listing. It did not contain the notes without evidence. */
  #listedAll = { requestedAt: 0, endedAt: 0 }

  constructor(notesField = 'notes') {
    this.#notesField = notesField
  }

  of(noteId: string): NoteEvidence {
    const known = this.#evidence.get(noteId) ?? {
      foundAt: 0,
      notFoundAt: this.#listedAll.requestedAt,
      heardAt: 0,
      removalArrivedAt: 0,
      announcedUpTo: 0,
      removalAnnouncedUpTo: 0,
      possiblyGoneAt: this.#listedAll.endedAt,
    }
    this.#evidence.set(noteId, known)
    return known
  }

  /** @param requestedAt  when the request was sent */
  recordAnswer({ url, status, text }: Answer, requestedAt: number, now: number): void {
    const path = /\/v1\/notes(?:\/(?<noteId>[^/]+))?$/.exec(url.pathname)
    if (path === null) return
    const noteId = path.groups?.['noteId']
    if (status === 404 && noteId !== undefined) this.#miss(this.of(noteId), requestedAt, now)
    if (status !== 200) return
    const body = JSON.parse(text)
    if (noteId !== undefined) this.#read(body, requestedAt, now)
    else this.#listed(body, url, requestedAt, now)
  }

  recordEvent({ kind, noteId, writtenAt }: EventMessage, arrivedAt: number, now: number): void {
    const evidence = this.of(noteId)
    // An event that arrives before its change (`writtenAt` is 0) is not evidence.
    if (writtenAt > 0) evidence.heardAt = Math.max(evidence.heardAt, arrivedAt)
    evidence.announcedUpTo = Math.max(evidence.announcedUpTo, writtenAt)
    if (kind !== 'note.deleted') return
    evidence.removalArrivedAt = Math.max(evidence.removalArrivedAt, arrivedAt)
    evidence.removalAnnouncedUpTo = Math.max(evidence.removalAnnouncedUpTo, writtenAt)
    evidence.possiblyGoneAt = now
  }

  #listed(body: Readonly<Record<string, unknown>>, { searchParams }: URL, requestedAt: number, now: number): void {
    for (const note of body[this.#notesField] as readonly Note[]) this.#read(note, requestedAt, now)
    // A note that a full listing did not contain may be gone.
    const isLast = body['has_more'] === false
    if (!isLast || searchParams.has('updated_after')) return
    for (const evidence of this.#evidence.values()) this.#miss(evidence, requestedAt, now)
    this.#listedAll = { requestedAt: Math.max(this.#listedAll.requestedAt, requestedAt), endedAt: now }
  }

  #read(note: Note & { readonly id?: string }, requestedAt: number, now: number): void {
    const evidence = this.of(note.note_id ?? note.id)
    if (isTombstone(note)) this.#miss(evidence, requestedAt, now)
    else evidence.foundAt = Math.max(evidence.foundAt, requestedAt)
  }

  #miss(evidence: NoteEvidence, requestedAt: number, now: number): void {
    evidence.notFoundAt = Math.max(evidence.notFoundAt, requestedAt)
    evidence.possiblyGoneAt = now
  }
}
