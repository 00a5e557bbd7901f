import { isTombstone, type Note } from '@notewire/protocol'
import type { Answer } from './answer.ts'
import type { Letter } from './letter.ts'

/** What the mirror has been told of a note. All are moments, `0` before the first. */
export interface Told {
  /** When the latest request left that found it. */
  foundSince: number
  /** When the latest request left that did not. */
  missedSince: number
  /** When the latest event arrived that was acknowledged. */
  heardAt: number
  /** The same, of events that said that it is gone. */
  endHeardAt: number
  /** Up to which moment events have told what became of it. */
  toldUpTo: number
  /** The same, of events that said that it is gone. */
  endToldUpTo: number
  /** When something has told last that it may be gone. */
  doubtedAt: number
}

/** Everything that the mirror has been told, by answers that reached it, and by events that it has acknowledged. */
export class Knowledge {
  readonly #notesField: string
  readonly #told = new Map<string, Told>()
  /** The latest listing of everything: it missed every note that nothing has told of yet. */
  #listedAll = { begunAt: 0, endedAt: 0 }

  constructor(notesField = 'notes') {
    this.#notesField = notesField
  }

  of(noteId: string): Told {
    const known = this.#told.get(noteId) ?? {
      foundSince: 0,
      missedSince: this.#listedAll.begunAt,
      heardAt: 0,
      endHeardAt: 0,
      toldUpTo: 0,
      endToldUpTo: 0,
      doubtedAt: this.#listedAll.endedAt,
    }
    this.#told.set(noteId, known)
    return known
  }

  /** @param begunAt  when the request left */
  answered({ url, status, text }: Answer, begunAt: number, now: number): void {
    const path = /\/v1\/notes(?:\/(?<noteId>[^/]+))?$/.exec(url.pathname)
    if (path === null) return
    const noteId = path.groups?.['noteId']
    if (status === 404 && noteId !== undefined) this.#miss(this.of(noteId), begunAt, now)
    if (status !== 200) return
    const body = JSON.parse(text)
    if (noteId !== undefined) this.#read(body, begunAt, now)
    else this.#listed(body, url, begunAt, now)
  }

  acknowledged({ kind, noteId, writtenAt }: Letter, arrivedAt: number, now: number): void {
    const told = this.of(noteId)
    // What comes before what it tells of is no more than a rumour.
    if (writtenAt > 0) told.heardAt = Math.max(told.heardAt, arrivedAt)
    told.toldUpTo = Math.max(told.toldUpTo, writtenAt)
    if (kind !== 'note.deleted') return
    told.endHeardAt = Math.max(told.endHeardAt, arrivedAt)
    told.endToldUpTo = Math.max(told.endToldUpTo, writtenAt)
    told.doubtedAt = now
  }

  #listed(body: Readonly<Record<string, unknown>>, { searchParams }: URL, begunAt: number, now: number): void {
    for (const note of body[this.#notesField] as readonly Note[]) this.#read(note, begunAt, now)
    // What a listing of everything did not show may be missing.
    const isLast = body['has_more'] === false
    if (!isLast || searchParams.has('updated_after')) return
    for (const told of this.#told.values()) this.#miss(told, begunAt, now)
    this.#listedAll = { begunAt: Math.max(this.#listedAll.begunAt, begunAt), endedAt: now }
  }

  #read(note: Note & { readonly id?: string }, begunAt: number, now: number): void {
    const told = this.of(note.note_id ?? note.id)
    if (isTombstone(note)) this.#miss(told, begunAt, now)
    else told.foundSince = Math.max(told.foundSince, begunAt)
  }

  #miss(told: Told, begunAt: number, now: number): void {
    told.missedSince = Math.max(told.missedSince, begunAt)
    told.doubtedAt = now
  }
}
