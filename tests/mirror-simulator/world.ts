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
import type { Circumstances } from './circumstances.ts'
import { type Letter, letterOf, noteIdIn } from './letter.ts'
import type { Moments } from './moments.ts'
import { Replica, type ReplicatedAct } from './replica.ts'
import { TrueNote } from './true-note.ts'

/** What a world is made with. */
interface WorldParts {
  readonly random: Random
  readonly schedule: Schedule
  readonly moments: Moments
  readonly chronicle: Chronicle
  readonly circumstances: Circumstances
}

/** The other services that hold the same notes. */
interface Copies {
  readonly replicas: readonly Replica[]
  readonly backup: Replica | undefined
}

/** The notes service, its owner, and what is true at every moment. */
export class World {
  readonly service: NotesService
  /** Lag behind the service. */
  readonly replicas: readonly Replica[]
  /** What the service can be restored from. */
  readonly backup: Replica | undefined
  /** The service as it was restored. */
  restored: Replica | undefined
  readonly notes: TrueNote[] = []
  /** The key that is in force. */
  key: IssuedKey
  /** A key that sees what the other does not. */
  readonly strangersKey: IssuedKey
  /** Counts the changes of what the key can see. */
  changesOfSight = 0
  readonly #parts: WorldParts
  readonly #channel: Channel
  readonly #byId = new Map<string, TrueNote>()
  #onLetter: (letter: Letter) => void = () => undefined
  #deliveries = 0

  private constructor(service: NotesService, copies: Copies, parts: WorldParts) {
    this.service = service
    this.replicas = copies.replicas
    this.backup = copies.backup
    this.#parts = parts
    this.#channel = service.owner.createChannel('elsewhere')
    this.key = service.owner.createIntegration().issueKey()
    this.strangersKey = service.owner.createIntegration({ channels: [this.#channel] }).issueKey()
  }

  static async open(parts: WorldParts): Promise<World> {
    const { random, circumstances } = parts
    const { contract, pageSize, lagsMs } = circumstances
    const options: NotesServiceOptions = {
      seed: random.integer(1, 2 ** 31),
      // An endpoint that is never verified, whose events are kept: this way the service writes down what is to be
      // delivered, and the simulator delivers it when it pleases.
      contract: { ...contract, whileInactive: 'queued' },
      faults: [{ request: 'GET /v1/notes', fault: { kind: 'short_page', notes: pageSize } }],
    }
    const service = await createNotesService(options)
    await service.connect(() => () => NOT_NOW)
    const replicas = await Promise.all(lagsMs.map((lagMs) => Replica.open(options, lagMs)))
    const backup = lagsMs.length > 0 ? await Replica.open(options, 0) : undefined
    const world = new World(service, { replicas, backup }, parts)
    world.#deliveries = service.deliveries.length
    return world
  }

  /** Has every event of the service taken by whoever delivers it. */
  onDelivery(take: (letter: Letter) => void): void {
    this.#onLetter = take
  }

  find(noteId: string): TrueNote | undefined {
    return this.#byId.get(noteId)
  }

  /** Moves the service's time on to the present, with all that falls due on the way. */
  async catchUp(): Promise<void> {
    const { clock } = this.service
    const behindMs = this.#parts.schedule.now - clock.now()
    if (behindMs > 0) await clock.advance(behindMs)
    this.#notice()
  }

  async close(): Promise<void> {
    await this.service.close()
    for (const replica of [...this.replicas, this.backup]) await replica?.service.close()
  }

  /** Replaces the key by one of another integration, which sees the same. */
  replaceKey(): void {
    this.key.revoke()
    this.key = this.service.owner.createIntegration().issueKey()
    this.#tell('replaces the key')
  }

  record(): TrueNote {
    const { moments } = this.#parts
    const number = this.notes.length + 1
    const title = `topic${number}x as it began`
    const recording = this.service.owner.record({ title })
    this.#replicate((replica) => replica.record(title))
    const note = new TrueNote(recording.note, number, title)
    note.recordings.push(recording)
    note.changedAt = moments.next()
    this.notes.push(note)
    this.#byId.set(note.id, note)
    this.#turn(note, true, moments.next())
    this.#tell(`begins to record ${note.name} (${note.id})`)
    return note
  }

  recordAgain(note: TrueNote): void {
    note.recordings.push(note.handle.record())
    this.#replicate((replica) => replica.recordAgain(note.id))
    this.#tell(`records ${note.name} once more`)
  }

  endSession(note: TrueNote): void {
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
    this.#explain(note, `ends session ${note.sessions} of ${note.name}`)
  }

  edit(note: TrueNote): void {
    const title = `${note.word} edited at ${note.handle.revision}`
    note.handle.edit({ title })
    this.#replicate((replica) => replica.noteOf(note.id).edit({ title }))
    note.retitle(title)
    this.#explain(note, `edits ${note.name}`)
  }

  delete(note: TrueNote): void {
    note.handle.delete()
    this.#replicate((replica) => replica.noteOf(note.id).delete())
    note.isDeleted = true
    note.isSummaryUnderWay = false
    this.#turn(note, false, this.#parts.moments.next())
    this.#explain(note, `deletes ${note.name}`)
  }

  moveOut(note: TrueNote): void {
    note.handle.moveTo(this.#channel)
    this.#replicate((replica) => replica.noteOf(note.id).moveTo(replica.channel))
    this.#move(note, false, 'out of sight')
  }

  moveBack(note: TrueNote): void {
    note.handle.moveTo('personal')
    this.#replicate((replica) => replica.noteOf(note.id).moveTo('personal'))
    this.#move(note, true, 'back into sight')
  }

  #move(note: TrueNote, isVisible: boolean, where: string): void {
    note.hasMoved = true
    note.isElsewhere = !isVisible
    this.#turn(note, isVisible, this.#parts.moments.next())
    this.#explain(note, `moves ${note.name} ${where}`)
  }

  #replicate(act: ReplicatedAct): void {
    for (const replica of [...this.replicas, this.backup]) replica?.enqueue(this.service.clock.now(), act)
  }

  #turn(note: TrueNote, isVisible: boolean, moment: number): void {
    note.turn(moment, isVisible)
    note.turnedAt = this.service.clock.now()
    this.changesOfSight += 1
  }

  #explain(note: TrueNote, what: string): void {
    note.explainedRevision = note.handle.revision
    note.changedAt = this.#parts.moments.next()
    this.#tell(`${what}, which is at revision ${note.handle.revision}`)
    this.#notice()
  }

  /** What the service did by itself: events to deliver, and summaries that were generated. */
  #notice(): void {
    for (const note of this.notes) if (note.isSummaryUnderWay) this.#noticeSummary(note)
    const { deliveries } = this.service
    for (; this.#deliveries < deliveries.length; this.#deliveries += 1) {
      const delivery = deliveries[this.#deliveries]
      if (delivery !== undefined) this.#deliver(delivery)
    }
  }

  #deliver(delivery: Delivery): void {
    const { moments } = this.#parts
    const note = this.#byId.get(noteIdIn(delivery))
    if (note === undefined) return
    // It is the only one that tells of what no act has done.
    if (delivery.event_type === 'note.summary.generated') note.changedAt = moments.next()
    this.#onLetter(letterOf(delivery, note.id, moments.next()))
  }

  #noticeSummary(note: TrueNote): void {
    const raises = this.#parts.circumstances.contract.summaryRaisesRevision !== false
    if (raises && note.handle.revision === note.explainedRevision) return
    // Where it does not raise the revision, nobody outside knows when it came: from now on it may be there.
    note.summarised()
    note.explainedRevision = note.handle.revision
    if (raises)
      this.#tell(`gets summary ${note.sessions} of ${note.name}, which is at revision ${note.handle.revision}`)
  }

  #tell(what: string): void {
    this.#parts.chronicle.tell('owner', what)
    this.#parts.chronicle.count(`act: ${what.split(' ', 1)[0]}`)
  }
}

const NOT_NOW = new Response(null, { status: 503 })
