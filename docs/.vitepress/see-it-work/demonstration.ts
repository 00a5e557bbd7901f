import { NotesClient } from '@notewire/client'
import { type ConnectedEndpoint, createNotesService, type NoteHandle, type NotesService } from '@notewire/mock-server'
import type { Receiver } from '@notewire/webhooks'
import { type CopiedNote, type Copy, copiedNote, type Difference, differencesOf } from './copy.ts'
import { naiveReceiver } from './naive-receiver.ts'
import { notewireReceiver, reconcile } from './notewire-receiver.ts'
import { type ForgedRequest, type Side, type TimelineRow, timelineOf } from './timeline.ts'

/** The note that a button acts on. */
export interface SelectedNote {
  readonly handle: NoteHandle
  readonly title: string
}

/** What a button does. */
type Act = (demonstration: Demonstration, note: SelectedNote) => Promise<void> | void

/** What the page shows. */
export interface Snapshot {
  readonly now: Date
  readonly service: readonly CopiedNote[]
  readonly copies: Readonly<Record<Side, readonly CopiedNote[]>>
  readonly differences: Readonly<Record<Side, readonly Difference[]>>
  readonly timeline: readonly TimelineRow[]
  /** The latest title of each note so far by its identifier. */
  readonly titles: ReadonlyMap<string, string>
}

type ReceiverFetch = (request: Request) => Promise<Response>

/** The mock service, a naive receiver and a receiver of Notewire, each with a copy of the notes. */
export class Demonstration {
  readonly service: NotesService
  readonly client: NotesClient
  readonly #copies: Record<Side, Copy> = { naive: new Map(), notewire: new Map() }
  readonly #receivers = new Map<Side, ReceiverFetch>()
  readonly #endpoints = new Map<Side, ConnectedEndpoint>()
  readonly #forged: ForgedRequest[] = []
  readonly #titles = new Map<string, string>()
  readonly #titlesOfEvents = new Map<string, string>()
  readonly #failing = new Set<Side>()
  readonly #lostEvents = new Set<string>()
  #secrets: string[] = []
  #losesNextEvent = false

  private constructor(service: NotesService) {
    this.service = service
    this.client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch })
  }

  /** Starts the service, connects both receivers, and records three meetings. */
  static async start(): Promise<Demonstration> {
    // Otherwise the service would disable the endpoints after some lost events.
    const service = await createNotesService({ contract: { disableAfter: 'never' } })
    const demonstration = new Demonstration(service)
    await demonstration.#connect()
    for (const title of ['Weekly planning', 'Call with Ada', 'Design review']) service.owner.record({ title }).end()
    await demonstration.passTime()
    return demonstration
  }

  async #connect(): Promise<void> {
    const { client, service } = this
    this.#receivers.set(
      'naive',
      naiveReceiver(client, this.#copies.naive, () => this.#failOnce('naive')),
    )
    const receiver: Receiver = notewireReceiver(client, this.#copies.notewire, {
      secrets: () => this.#secrets,
      clock: service.clock,
      beforeWrite: () => this.#failOnce('notewire'),
    })
    this.#receivers.set('notewire', receiver.fetch)
    for (const side of ['naive', 'notewire'] as const) {
      const endpoint = await service.connect((secret) => {
        if (side === 'notewire') this.#secrets = [secret]
        return (request) => this.#deliver(side, request)
      })
      this.#endpoints.set(side, endpoint)
    }
  }

  /** Passes a request to a receiver, unless its event is lost. */
  async #deliver(side: Side, request: Request): Promise<Response> {
    const { event_id, event_type } = await request.clone().json()
    if (this.#losesNextEvent && event_type.startsWith('note.')) {
      this.#losesNextEvent = false
      this.#lostEvents.add(event_id)
    }
    if (this.#lostEvents.has(event_id)) throw new TypeError('The receiver cannot be reached.')
    return await this.#receive(side, request)
  }

  async #receive(side: Side, request: Request): Promise<Response> {
    const receive = this.#receivers.get(side)
    if (receive === undefined) throw new TypeError('The receiver is not connected.')
    return await receive(request)
  }

  #failOnce(side: Side): void {
    if (this.#failing.delete(side)) throw new Error('The database of the copy is not available.')
  }

  /** The next write of each copy fails. */
  failNextWrite(): void {
    this.#failing.add('naive').add('notewire')
  }

  /** No attempt of the next event reaches a receiver. */
  loseNextEvent(): void {
    this.#losesNextEvent = true
  }

  /** Sends both receivers a deletion that the service did not send. */
  async forgeDeletion(note_id: string): Promise<void> {
    const { clock } = this.service
    const event_id = `evt_forged_${this.#forged.length + 1}`
    const occurred_at = new Date(clock.now()).toISOString()
    const data = { note_id, revision: 1_000, reason: 'deleted' }
    const body = JSON.stringify({ event_id, event_type: 'note.deleted', occurred_at, data })
    const headers = {
      'content-type': 'application/json',
      'webhook-id': event_id,
      'webhook-timestamp': String(Math.floor(clock.now() / 1000)),
      'webhook-signature': `v1,${btoa('a guess of an attacker, no HMAC.')}`,
    }
    for (const side of ['naive', 'notewire'] as const) {
      const request = new Request('https://receiver.test/webhooks/notes', { method: 'POST', headers, body })
      const { status } = await this.#receive(side, request)
      this.#forged.push({ side, event_id, note_id, at: clock.now(), status })
    }
  }

  /** Delivers the last event of a note again, under its identifier. */
  async repeatLastEvent(note_id: string): Promise<void> {
    for (const { endpoint_id } of this.#endpoints.values()) {
      const delivery = this.service.deliveries.findLast(
        (sent) => sent.endpoint_id === endpoint_id && JSON.parse(sent.body).data.note_id === note_id,
      )
      if (delivery === undefined) continue
      const path = `/v1/webhook-endpoints/${endpoint_id}/deliveries/${delivery.delivery_id}/replay`
      const headers = { authorization: `Bearer ${this.service.apiKey}` }
      await this.service.fetch(new Request(`${this.service.baseUrl}${path}`, { method: 'POST', headers }))
    }
  }

  /** The service signs with a new secret, and for 24 hours also with the old one. */
  async rotateSecrets(): Promise<void> {
    for (const [side, { endpoint_id }] of this.#endpoints) {
      const { signing_secret } = await this.client.webhookEndpoints.rotateSecret(endpoint_id)
      if (side === 'notewire') this.#secrets = [signing_secret, ...this.#secrets.slice(0, 1)]
    }
  }

  /**
   * Does what a button does, or records a meeting if no note is left, and lets some time pass.
   *
   * @param note_id  the selected note: one that the service lists
   * @returns `false` if no note was left
   */
  async act(act: Act, note_id: string | undefined): Promise<boolean> {
    const handle = this.service.owner.notes().find((note) => note.note_id === note_id)
    const title = this.#titles.get(note_id ?? '') ?? 'Meeting'
    if (handle === undefined) this.service.owner.record().end()
    else await act(this, { handle, title })
    await this.passTime()
    return handle !== undefined
  }

  /** Long enough for the summary, the combined event of edits, and the first retry. */
  async passTime(): Promise<void> {
    await this.service.clock.advance('45s')
  }

  /** Lets all retries end, which takes up to 27 hours. */
  async passAllRetries(): Promise<void> {
    await this.service.settled()
  }

  /** Notewire's copy is compared with a full listing. */
  async reconcile(): Promise<void> {
    await reconcile(this.client, this.#copies.notewire)
  }

  /** What the page shows now. */
  async snapshot(): Promise<Snapshot> {
    const service = await this.#notesOfService()
    for (const { note_id, title } of service) if (title !== null) this.#titles.set(note_id, title)
    const copies = { naive: sorted(this.#copies.naive), notewire: sorted(this.#copies.notewire) }
    return {
      now: new Date(this.service.clock.now()),
      service,
      copies,
      differences: {
        naive: differencesOf(copies.naive, service),
        notewire: differencesOf(copies.notewire, service),
      },
      timeline: timelineOf(
        this.service.attempts,
        this.#forged,
        (endpointId) => (endpointId === this.#endpoints.get('notewire')?.endpoint_id ? 'notewire' : 'naive'),
        (eventId, noteId) => this.#titleOfEvent(eventId, noteId),
      ),
      titles: new Map(this.#titles),
    }
  }

  /** The title that the note of an event had in the first snapshot with this event. */
  #titleOfEvent(event_id: string, note_id: string): string {
    const title = this.#titlesOfEvents.get(event_id) ?? this.#titles.get(note_id) ?? note_id
    this.#titlesOfEvents.set(event_id, title)
    return title
  }

  async #notesOfService(): Promise<readonly CopiedNote[]> {
    const copy: Copy = new Map()
    for await (const { note, transcript, summary } of this.client.notes.listWithContent()) {
      const texts = [
        transcript.status === 'ready' ? transcript.transcript.text : null,
        summary.status === 'ready' ? summary.summary.markdown : null,
      ] as const
      copy.set(note.note_id, copiedNote(note, ...texts))
    }
    return sorted(copy)
  }
}

function sorted(copy: Copy): readonly CopiedNote[] {
  return [...copy.values()].toSorted((a, b) => (a.note_id < b.note_id ? -1 : 1))
}
