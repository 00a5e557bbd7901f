import { type NoteEvent, SCOPES } from '@notewire/protocol'
import { durationMs } from '../clock/duration.ts'
import type { Cancellable, Timeline } from '../clock/timeline.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import type { MakeIdentifier } from '../seed/identifiers.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import type { Contract } from '../variants/contract-variants.ts'
import { type Integration, type IntegrationOwner, Integrations } from './integration.ts'
import {
  type NoteRecord,
  noteBegun,
  noteDeleted,
  type Place,
  revised,
  type SpokenLine,
  sessionBegun,
  sessionEnded,
  summaryGenerated,
} from './note.ts'
import { type NoteChange, noteEventOf } from './note-event.ts'
import { NoteIndex } from './note-index.ts'
import type { Channel, RecordingOutcome } from './owner.ts'
import { PendingUpdates } from './pending-updates.ts'
import { plausibleConversation, plausibleSummary, plausibleTitle } from './plausible-words.ts'

/** How long the generation of a summary takes, in milliseconds. */
const SUMMARY_MS = { least: 5000, most: 30_000 }

export interface WorldParts {
  readonly name: string
  readonly timeline: Timeline
  readonly random: SeededRandom
  /** Makes the identifiers of the owner and of the first integration. */
  readonly makeFirstIdentifier: MakeIdentifier
  readonly makeIdentifier: MakeIdentifier
  readonly contract: Contract
  readonly announce: (event: NoteEvent, to: readonly Integration[]) => void
  /** The first key of the owner. Default: a random one. */
  readonly apiKey?: string | undefined
}

interface NoteEdit {
  readonly title?: string | null | undefined
  readonly content?: string | null | undefined
}

/** The notes, channels and integrations of one owner. The owner's acts have the effects that the contract specifies (§6). */
export class World implements IntegrationOwner {
  readonly owner_id: string
  readonly name: string
  readonly makeIdentifier: MakeIdentifier
  readonly random: SeededRandom
  readonly notes = new NoteIndex()
  readonly integrations: Integrations
  /** The integration for the personal notes, which every owner has. */
  readonly firstIntegration: Integration
  /** A full key of the first integration, with all scopes. */
  readonly apiKey: string
  readonly #parts: WorldParts
  readonly #texts: SeededRandom
  readonly #titles: SeededRandom
  readonly #summaryTimes: SeededRandom
  readonly #channels = new Map<string, Channel>()
  readonly #pendingSummaries = new Map<string, Cancellable>()
  readonly #pendingUpdates: PendingUpdates

  constructor(parts: WorldParts) {
    const { name, timeline, random, makeFirstIdentifier, makeIdentifier, contract } = parts
    this.#parts = parts
    this.owner_id = makeFirstIdentifier('owner')
    this.name = name
    this.makeIdentifier = makeIdentifier
    this.random = random
    this.#texts = random.fork('world')
    this.#titles = this.#texts.fork('titles')
    this.#summaryTimes = this.#texts.fork('summary times')
    this.integrations = new Integrations(this.#texts.fork('keys'), contract)
    this.#pendingUpdates = new PendingUpdates({
      timeline,
      waitMs: durationMs(contract.debounceQuiet),
      maxWaitMs: durationMs(contract.debounceLongest),
      announce: (note_id, to) => this.#announce({ event_type: 'note.updated' }, this.note(note_id), to),
    })
    this.firstIntegration = this.#addIntegration(makeFirstIdentifier('integration'), ['personal'])
    this.apiKey = this.integrations.issueKey(this.firstIntegration, this.scopes, parts.apiKey).key
  }

  /** The scopes that a key can have: those of the contract, and those of its variants (open point 23). */
  get scopes(): readonly string[] {
    return [...new Set<string>([...SCOPES, this.#parts.contract.noteScope, this.#parts.contract.endpointScope])]
  }

  createChannel(name: string): Channel {
    this.#parts.timeline.requireOpen()
    const channel = { channel_id: this.makeIdentifier('channel'), name }
    this.#channels.set(channel.channel_id, channel)
    return channel
  }

  channels(): readonly Channel[] {
    return [...this.#channels.values()]
  }

  createIntegration(places: readonly Place[]): Integration {
    this.#parts.timeline.requireOpen()
    for (const place of places) this.#requirePlace(place)
    return this.#addIntegration(this.makeIdentifier('integration'), places)
  }

  note(note_id: string): NoteRecord {
    const note = this.notes.find(note_id)
    if (note !== undefined) return note
    const problem = `this service has no note ${note_id}`
    throw new MockServerError('note_unknown', problem, 'Pass the note_id of a note of this service.')
  }

  recordNote(changes: NoteEdit, place: Place): NoteRecord {
    this.#parts.timeline.requireOpen()
    this.#requirePlace(place)
    const { title = plausibleTitle(this.#titles), content = null } = changes
    const note_id = this.makeIdentifier('note')
    const sequence = this.notes.nextSequence
    const note = noteBegun({ note_id, sequence, title, content, place }, this.#parts.timeline.now())
    this.notes.put(note)
    return note
  }

  beginSession(note_id: string): string {
    const recording_session_id = this.makeIdentifier('recording_session')
    this.notes.put(sessionBegun(this.#undeleted(note_id), recording_session_id))
    return recording_session_id
  }

  /** The content becomes readable before its event is sent (open point 29). */
  endSession(note_id: string, recording_session_id: string, { transcript, summary }: RecordingOutcome): void {
    const note = this.#undeleted(note_id)
    const session = note.sessions.find((known) => known.recording_session_id === recording_session_id)
    if (session?.ended !== false) throw sessionCannotEnd(recording_session_id, session !== undefined)
    const lines = transcript?.map(({ speaker = null, text }) => ({ speaker, text }))
    const ended = sessionEnded(note, { recording_session_id, lines }, summary, this.#parts.timeline.now())
    this.notes.put(ended)
    this.#announce({ event_type: 'note.ended', recording_session_id }, ended)
    this.#pendingSummaries.get(note_id)?.cancel()
    if (ended.summary_status === 'pending') this.#generateSummary(note_id)
  }

  editNote(note_id: string, changes: NoteEdit): void {
    const note = this.#undeleted(note_id)
    const { title = note.title, content = note.content } = changes
    if (title === note.title && content === note.content) return
    const edited = revised(note, this.#parts.timeline.now(), { title, content })
    this.notes.put(edited)
    // No `note.updated` is sent before the first `note.ended` (open point 29).
    if (edited.status === 'pending' && this.#parts.contract.eventOrder === 'ended_first') return
    this.#pendingUpdates.schedule(note_id, this.integrations.withAccessTo(edited.place))
  }

  deleteNote(note_id: string): void {
    const { deletionRaisesRevision, eventOrder } = this.#parts.contract
    const tombstone = noteDeleted(this.#undeleted(note_id), this.#parts.timeline.now(), deletionRaisesRevision)
    this.notes.put(tombstone)
    this.#pendingSummaries.get(note_id)?.cancel()
    if (eventOrder === 'ended_first') this.#pendingUpdates.cancel(note_id)
    this.#announce({ event_type: 'note.deleted', reason: 'deleted' }, tombstone)
  }

  /** Integrations that lose access are sent an event; those that gain it are not (open point 28). */
  moveNote(note_id: string, place: Place): void {
    this.#requirePlace(place)
    const note = this.#undeleted(note_id)
    const before = this.integrations.withAccessTo(note.place)
    const after = this.integrations.withAccessTo(place)
    const losing = before.filter((integration) => !after.includes(integration))
    const { accessGained, eventOrder } = this.#parts.contract
    // A move neither raises the revision nor counts as an update (open points 20 and 28).
    const isRevised = place !== note.place && accessGained === 'revised'
    const moved = isRevised ? revised(note, this.#parts.timeline.now(), { place }) : { ...note, place }
    this.notes.put(moved)
    if (eventOrder === 'ended_first') this.#pendingUpdates.removeFromAudience(note_id, losing)
    this.#announce({ event_type: 'note.deleted', reason: 'access_lost' }, note, losing)
    if (accessGained !== 'announced') return
    const gaining = after.filter((integration) => !before.includes(integration))
    this.#announce({ event_type: 'note.updated' }, moved, gaining)
  }

  linesOf(note: NoteRecord): readonly SpokenLine[] {
    return note.sessions
      .filter(({ ended }) => ended)
      .flatMap(
        ({ lines, recording_session_id }) => lines ?? plausibleConversation(this.#texts.fork(recording_session_id)),
      )
  }

  summaryOf(note: NoteRecord): string | null {
    if (note.summary_status !== 'ready') return null
    return note.summary ?? plausibleSummary(this.#texts.fork(note.note_id), this.linesOf(note))
  }

  #generateSummary(note_id: string): void {
    const { timeline, contract } = this.#parts
    const ms = this.#summaryTimes.integer(SUMMARY_MS.least, SUMMARY_MS.most)
    const generation = timeline.schedule(ms, () => {
      const generated = summaryGenerated(this.#undeleted(note_id), timeline.now(), contract.summaryRaisesRevision)
      this.notes.put(generated)
      this.#announce({ event_type: 'note.summary.generated' }, generated)
    })
    this.#pendingSummaries.set(note_id, generation)
  }

  #announce(change: NoteChange, note: NoteRecord, to = this.integrations.withAccessTo(note.place)): void {
    const { timeline, contract, announce } = this.#parts
    announce(noteEventOf(change, note, this.makeIdentifier('event'), timeline.now(), contract), to)
  }

  #undeleted(note_id: string): NoteRecord {
    this.#parts.timeline.requireOpen()
    const note = this.note(note_id)
    if (note.status !== 'deleted') return note
    const problem = `the note ${note_id} was deleted, and a deleted note cannot be changed`
    throw new MockServerError('note_deleted', problem, 'Record a new note.')
  }

  #addIntegration(integration_id: string, places: readonly Place[]): Integration {
    return this.integrations.add({ integration_id, owner: this, places })
  }

  #requirePlace(place: Place): void {
    if (place === 'personal' || this.#channels.has(place)) return
    const problem = `this service has no channel ${place}`
    throw new MockServerError('channel_unknown', problem, 'Use a channel that was created in this service.')
  }
}

function sessionCannotEnd(session_id: string, hasEnded: boolean): MockServerError {
  if (hasEnded) {
    const problem = `the recording session ${session_id} has already ended, and a session can end only once`
    return new MockServerError('session_ended', problem, 'Start another session of the note.')
  }
  const remedy = 'Pass the recording_session_id of a session of this note.'
  return new MockServerError('session_unknown', `the note has no recording session ${session_id}`, remedy)
}
