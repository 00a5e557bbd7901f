import {
  type Channel,
  createNotesService,
  type NoteHandle,
  type NotesService,
  type NotesServiceOptions,
  type RecordingHandle,
} from '@notewire/mock-server'
import { keyIdOf } from '@notewire/protocol'

/** An act of the owner, for a replica. */
export type ReplicatedAct = (replica: Replica) => void

/** A lagging replica of the service: a service with the same seed, in which the same acts happen later. */
export class Replica {
  readonly service: NotesService
  readonly lagMs: number
  readonly channel: Channel
  readonly #notes = new Map<string, NoteHandle>()
  readonly #recordings = new Map<string, RecordingHandle[]>()
  /** The keys of this service. Their ids follow from the seed, and their secrets do not. */
  readonly #keys: readonly string[]
  readonly #acts: { readonly at: number; readonly act: ReplicatedAct }[] = []

  private constructor(service: NotesService, lagMs: number) {
    this.service = service
    this.lagMs = lagMs
    // In the same order as in the service, so that the identifiers of notes and keys are the same.
    this.channel = service.owner.createChannel('elsewhere')
    const one = service.owner.createIntegration().issueKey()
    const other = service.owner.createIntegration({ channels: [this.channel] }).issueKey()
    this.#keys = [service.apiKey, one.key, other.key]
  }

  static async open(options: NotesServiceOptions, lagMs: number): Promise<Replica> {
    return new Replica(await createNotesService(options), lagMs)
  }

  /** Answers a request that was sent with a key of the service as if the replica had the same key. */
  async fetch(request: Request): Promise<Response> {
    const [, given = ''] = (request.headers.get('authorization') ?? '').split(' ')
    const own = this.#keys.find((key) => keyIdOf(key) === keyIdOf(given))
    const headers = new Headers(request.headers)
    if (own !== undefined) headers.set('authorization', `Bearer ${own}`)
    return await this.service.fetch(new Request(request, { headers }))
  }

  /** Schedules an act, delayed by the lag. */
  enqueue(at: number, act: ReplicatedAct): void {
    this.#acts.push({ at, act })
  }

  /** Advances the replica's time to the present minus its lag. */
  async catchUp(now: number): Promise<void> {
    await this.#applyUntil(now - this.lagMs)
  }

  /** Restores the state of the service at a time. Later acts are dropped. */
  async restoreTo(time: number, now: number): Promise<void> {
    await this.#applyUntil(time)
    this.#acts.length = 0
    await this.#advanceTo(now)
  }

  record(title: string): void {
    const recording = this.service.owner.record({ title })
    this.#notes.set(recording.note.note_id, recording.note)
    this.#recordings.set(recording.note.note_id, [recording])
  }

  recordAgain(noteId: string): void {
    this.recordingsOf(noteId).push(this.noteOf(noteId).record())
  }

  noteOf(noteId: string): NoteHandle {
    const note = this.#notes.get(noteId)
    if (note === undefined) throw new Error(`the replica has never made ${noteId}`)
    return note
  }

  recordingsOf(noteId: string): RecordingHandle[] {
    return this.#recordings.get(noteId) ?? []
  }

  async #applyUntil(until: number): Promise<void> {
    for (let next = this.#acts[0]; next !== undefined && next.at <= until; next = this.#acts[0]) {
      await this.#advanceTo(next.at)
      this.#acts.shift()
      next.act(this)
    }
    await this.#advanceTo(until)
  }

  async #advanceTo(time: number): Promise<void> {
    const { clock } = this.service
    const behindMs = time - clock.now()
    if (behindMs > 0) await clock.advance(behindMs)
  }
}
