import {
  type Channel,
  createNotesService,
  type Delivery,
  type IssuedKey,
  type NotesService,
  type NotesServiceOptions,
} from '@notewire/mock-server'
import type { Chronicle } from '../simulation/chronicle.ts'
import type { Random } from '../simulation/random.ts'
import type { Schedule } from '../simulation/schedule.ts'
import { type EventMessage, messageOf, noteIdIn } from './event-message.ts'
import type { LogicalClock } from './logical-clock.ts'
import { NoteModel } from './note-model.ts'
import { Replica, type ReplicatedAct } from './replica.ts'
import type { Scenario } from './scenario.ts'

interface WorldParts {
  readonly random: Random
  readonly schedule: Schedule
  readonly logicalClock: LogicalClock
  readonly chronicle: Chronicle
  readonly scenario: Scenario
}

/** The other services with the same notes. */
interface Replicas {
  readonly replicas: readonly Replica[]
  readonly backup: Replica | undefined
}

/** The notes service, its owner, and the models of its notes. */
export class World {
  readonly service: NotesService
  readonly replicas: readonly Replica[]
  /** A copy from which the service can be restored. */
  readonly backup: Replica | undefined
  /** The restored service. */
  restored: Replica | undefined
  readonly notes: NoteModel[] = []
  /** The current key. */
  key: IssuedKey
  /** A key that sees the notes of the other channel. */
  readonly otherKey: IssuedKey
  /** How often the visibility of a note has changed. */
  visibilityChanges = 0
  readonly #parts: WorldParts
  readonly #channel: Channel
  readonly #byId = new Map<string, NoteModel>()
  #onMessage: (message: EventMessage) => void = () => undefined
  #deliveries = 0

  private constructor(service: NotesService, copies: Replicas, parts: WorldParts) {
    this.service = service
    this.replicas = copies.replicas
    this.backup = copies.backup
    this.#parts = parts
    this.#channel = service.owner.createChannel('elsewhere')
    this.key = service.owner.createIntegration().issueKey()
    this.otherKey = service.owner.createIntegration({ channels: [this.#channel] }).issueKey()
  }

  static async open(parts: WorldParts): Promise<World> {
    const { random, scenario } = parts
    const { contract, pageSize, lagsMs } = scenario
    const options: NotesServiceOptions = {
      seed: random.integer(1, 2 ** 31),
      // The endpoint is never verified, so the service queues its events, and the simulator delivers them.
      contract: { ...contract, whileInactive: 'queued' },
      faults: [{ request: 'GET /v1/notes', fault: { kind: 'short_page', notes: pageSize } }],
      // Every delivery is read by its position.
      keepLast: 1_000_000,
    }
    const service = await createNotesService(options)
    await service.connect(() => () => NOT_NOW)
    const replicas = await Promise.all(lagsMs.map((lagMs) => Replica.open(options, lagMs)))
    const backup = lagsMs.length > 0 ? await Replica.open(options, 0) : undefined
    const world = new World(service, { replicas, backup }, parts)
    world.#deliveries = service.deliveries.length
    return world
  }

  /** Sets the listener that delivers the service's events. */
  onDelivery(take: (message: EventMessage) => void): void {
    this.#onMessage = take
  }

  find(noteId: string): NoteModel | undefined {
    return this.#byId.get(noteId)
  }

  /** Advances the service's time to the present, which runs everything that becomes due. */
  async catchUp(): Promise<void> {
    const { clock } = this.service
    const behindMs = this.#parts.schedule.now - clock.now()
    if (behindMs > 0) await clock.advance(behindMs)
    this.#pollService()
  }

  async close(): Promise<void> {
    await this.service.close()
    for (const replica of [...this.replicas, this.backup]) await replica?.service.close()
  }

  /** Replaces the key by one of another integration, which sees the same notes. */
  replaceKey(): void {
    this.key.revoke()
    this.key = this.service.owner.createIntegration().issueKey()
    this.#log('replaces the key')
  }

  record(): NoteModel {
    const { logicalClock } = this.#parts
    const number = this.notes.length + 1
    const title = `topic${number}x as it began`
    const recording = this.service.owner.record({ title })
    this.#replicate((replica) => replica.record(title))
    const note = new NoteModel(recording.note, number, title)
    note.recordings.push(recording)
    note.changedAt = logicalClock.next()
    this.notes.push(note)
    this.#byId.set(note.id, note)
    this.#setVisible(note, true, logicalClock.next())
    this.#log(`begins to record ${note.name} (${note.id})`)
    return note
  }

  recordAgain(note: NoteModel): void {
    note.recordings.push(note.handle.record())
    this.#replicate((replica) => replica.recordAgain(note.id))
    this.#log(`records ${note.name} once more`)
  }

  endSession(note: NoteModel): void {
    const { random } = this.#parts
    const recording = note.recordings.pop()
    if (recording === undefined) return
    note.sessions += 1
    const isSilent = random.chance(0.1)
    const transcript = isSilent ? '' : `words ${note.sessions} of ${note.name}`
    const summary = random.chance(0.15) ? null : `summary ${note.sessions} of ${note.name}`
    const said = { transcript: isSilent ? [] : [{ text: transcript }], summary: summary ?? false } as const
    recording.end(said)
    this.#replicate((replica) => replica.recordingsOf(note.id).pop()?.end(said))
    note.endSession({ transcript, summary })
    this.#recordChange(note, `ends session ${note.sessions} of ${note.name}`)
  }

  edit(note: NoteModel): void {
    const title = `${note.word} edited at ${note.handle.revision}`
    note.handle.edit({ title })
    this.#replicate((replica) => replica.noteOf(note.id).edit({ title }))
    note.retitle(title)
    this.#recordChange(note, `edits ${note.name}`)
  }

  delete(note: NoteModel): void {
    note.handle.delete()
    this.#replicate((replica) => replica.noteOf(note.id).delete())
    note.isDeleted = true
    note.isSummaryPending = false
    this.#setVisible(note, false, this.#parts.logicalClock.next())
    this.#recordChange(note, `deletes ${note.name}`)
  }

  moveOut(note: NoteModel): void {
    note.handle.moveTo(this.#channel)
    this.#replicate((replica) => replica.noteOf(note.id).moveTo(replica.channel))
    this.#move(note, false, 'out of sight')
  }

  moveBack(note: NoteModel): void {
    note.handle.moveTo('personal')
    this.#replicate((replica) => replica.noteOf(note.id).moveTo('personal'))
    this.#move(note, true, 'back into sight')
  }

  #move(note: NoteModel, isVisible: boolean, where: string): void {
    note.hasMoved = true
    note.isElsewhere = !isVisible
    this.#setVisible(note, isVisible, this.#parts.logicalClock.next())
    this.#recordChange(note, `moves ${note.name} ${where}`)
  }

  #replicate(act: ReplicatedAct): void {
    for (const replica of [...this.replicas, this.backup]) replica?.enqueue(this.service.clock.now(), act)
  }

  #setVisible(note: NoteModel, isVisible: boolean, moment: number): void {
    note.setVisible(moment, isVisible)
    note.visibilityChangedAt = this.service.clock.now()
    this.visibilityChanges += 1
  }

  #recordChange(note: NoteModel, what: string): void {
    note.expectedRevision = note.handle.revision
    note.changedAt = this.#parts.logicalClock.next()
    this.#log(`${what}, which is at revision ${note.handle.revision}`)
    this.#pollService()
  }

  /** Collects events to deliver and generated summaries. */
  #pollService(): void {
    for (const note of this.notes) if (note.isSummaryPending) this.#pollSummary(note)
    const { deliveries } = this.service
    for (; this.#deliveries < deliveries.length; this.#deliveries += 1) {
      const delivery = deliveries[this.#deliveries]
      if (delivery !== undefined) this.#send(delivery)
    }
  }

  #send(delivery: Delivery): void {
    const { logicalClock } = this.#parts
    const note = this.#byId.get(noteIdIn(delivery))
    if (note === undefined) return
    // All other events announce acts of the owner, which are recorded already.
    if (delivery.event_type === 'note.summary.generated') note.changedAt = logicalClock.next()
    this.#onMessage(messageOf(delivery, note.id, logicalClock.next()))
  }

  #pollSummary(note: NoteModel): void {
    const raises = this.#parts.scenario.contract.summaryRaisesRevision !== false
    if (raises && note.handle.revision === note.expectedRevision) return
    // If a summary does not raise the revision, its time is unknown: from now on it may exist.
    note.addSummary()
    note.expectedRevision = note.handle.revision
    if (raises) this.#log(`gets summary ${note.sessions} of ${note.name}, which is at revision ${note.handle.revision}`)
  }

  #log(what: string): void {
    this.#parts.chronicle.tell('owner', what)
    this.#parts.chronicle.count(`act: ${what.split(' ', 1)[0]}`)
  }
}

const NOT_NOW = new Response(null, { status: 503 })
