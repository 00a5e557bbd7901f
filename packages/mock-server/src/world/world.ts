import { type NoteEvent, SCOPES } from '@notewire/protocol'
import { durationMs } from '../clock/duration.ts'
import type { Cancellable } from '../clock/timeline.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import { type Integration, Integrations } from './integration.ts'
import { type NoteHappening, noteEventOf } from './note-event.ts'
import { NoteIndex } from './note-index.ts'
import {
  type NoteChanges,
  noteBegun,
  noteDeleted,
  noteEdited,
  noteMoved,
  noteMovedAndRevised,
  sessionBegun,
  sessionEnded,
  summaryGenerated,
} from './note-life.ts'
import type { NoteRecord, SessionRecord } from './note-record.ts'
import type { Channel, RecordingOutcome } from './owner.ts'
import { PendingUpdates } from './pending-updates.ts'
import type { Place } from './place.ts'
import { plausibleConversation, plausibleSummary, plausibleTitle } from './plausible-words.ts'
import type { SimulationParts } from './simulation-parts.ts'
import type { SpokenLine } from './transcript.ts'

/** How long the generation of a summary takes, in milliseconds. */
const SUMMARY_MS = { least: 5000, most: 30_000 }

export interface WorldParts extends SimulationParts {
  /** The name of the owner. */
  readonly name: string
  /** Called with each event and the integrations that it is sent to. */
  readonly announce: (event: NoteEvent, to: readonly Integration[]) => void
}

/** The notes, channels and integrations of one owner, and the effects that the contract gives to the owner's acts (§6). */
export class World {
  readonly owner_id: string
  readonly name: string
  readonly notes = new NoteIndex()
  readonly integrations: Integrations
  /** The integration for the personal notes that every owner has from the start. */
  readonly firstIntegration: Integration
  /** A full key of the first integration, with all scopes. */
  readonly apiKey: string
  readonly #parts: WorldParts
  readonly #titles: SeededRandom
  readonly #summaryTimes: SeededRandom
  readonly #channels = new Map<string, Channel>()
  readonly #summariesUnderWay = new Map<string, Cancellable>()
  readonly #pendingUpdates: PendingUpdates

  constructor(parts: WorldParts) {
    const { timeline, random, contract } = parts
    this.#parts = parts
    this.owner_id = parts.makeIdentifier('owner')
    this.name = parts.name
    this.#titles = random.fork('titles')
    this.#summaryTimes = random.fork('summary times')
    this.integrations = new Integrations(random.fork('keys'), contract)
    this.#pendingUpdates = new PendingUpdates({
      timeline,
      quietMs: durationMs(contract.debounceQuiet),
      longestMs: durationMs(contract.debounceLongest),
      announce: (note_id, to) => this.#announce({ event_type: 'note.updated' }, this.note(note_id), to),
    })
    this.firstIntegration = this.createIntegration(['personal'])
    this.apiKey = this.integrations.issueKey(this.firstIntegration, this.scopes).key
  }

  /** The scopes that a key can have: those of the contract, and those of its variants (open point 23). */
  get scopes(): readonly string[] {
    return [...new Set<string>([...SCOPES, this.#parts.contract.noteScope, this.#parts.contract.endpointScope])]
  }

  createChannel(name: string): Channel {
    const channel = { channel_id: this.#parts.makeIdentifier('channel'), name }
    this.#channels.set(channel.channel_id, channel)
    return channel
  }

  channels(): readonly Channel[] {
    return [...this.#channels.values()]
  }

  createIntegration(places: readonly Place[]): Integration {
    for (const place of places) this.#mustExist(place)
    const { owner_id } = this
    const integration = { integration_id: this.#parts.makeIdentifier('integration'), owner_id, places }
    this.integrations.add(integration)
    return integration
  }

  note(note_id: string): NoteRecord {
    const note = this.notes.find(note_id)
    if (note !== undefined) return note
    throw new MockServerError('note_unknown', {
      problem: `this service has no note ${note_id}`,
      remedy: 'Pass the note_id of a note of this service.',
    })
  }

  recordNote(changes: NoteChanges, place: Place): NoteRecord {
    this.#mustExist(place)
    const { title = plausibleTitle(this.#titles), content = null } = changes
    const note_id = this.#parts.makeIdentifier('note')
    const sequence = this.notes.nextSequence
    const note = noteBegun({ note_id, sequence, title, content, place }, this.#parts.timeline.now())
    this.notes.put(note)
    return note
  }

  beginSession(note_id: string): string {
    const recording_session_id = this.#parts.makeIdentifier('recording_session')
    this.notes.put(sessionBegun(this.#live(note_id), recording_session_id))
    return recording_session_id
  }

  /** The content becomes readable before its event is sent (open point 29). */
  endSession(note_id: string, recording_session_id: string, { transcript, summary }: RecordingOutcome): void {
    const note = this.#live(note_id)
    const session = note.sessions.find((known) => known.recording_session_id === recording_session_id)
    if (session?.ended !== false) throw sessionNotUnderWay(recording_session_id, session)
    const lines = transcript?.map(({ speaker = null, text }) => ({ speaker, text }))
    const ended = sessionEnded(note, { recording_session_id, lines }, summary, this.#parts.timeline.now())
    this.notes.put(ended)
    this.#announce({ event_type: 'note.ended', recording_session_id }, ended)
    this.#summariesUnderWay.get(note_id)?.cancel()
    if (ended.summary_status === 'pending') this.#generateSummary(note_id)
  }

  editNote(note_id: string, changes: NoteChanges): void {
    const note = this.#live(note_id)
    const edited = noteEdited(note, changes, this.#parts.timeline.now())
    if (edited === note) return
    this.notes.put(edited)
    // No `note.updated` is sent before the first `note.ended` (open point 29).
    if (edited.status === 'pending' && this.#parts.contract.eventOrder === 'ended_first') return
    this.#pendingUpdates.edited(note_id, this.integrations.thatSee(edited.place))
  }

  deleteNote(note_id: string): void {
    const raises = this.#parts.contract.deletionRaisesRevision ? 'raises' : 'keeps'
    const tombstone = noteDeleted(this.#live(note_id), this.#parts.timeline.now(), raises)
    this.notes.put(tombstone)
    this.#summariesUnderWay.get(note_id)?.cancel()
    if (this.#parts.contract.eventOrder === 'ended_first') this.#pendingUpdates.cancel(note_id)
    this.#announce({ event_type: 'note.deleted', reason: 'deleted' }, tombstone)
  }

  /** Integrations that lose access are sent an event; those that gain it are not (open point 28). */
  moveNote(note_id: string, place: Place): void {
    this.#mustExist(place)
    const note = this.#live(note_id)
    const seeing = this.integrations.thatSee(place)
    const saw = this.integrations.thatSee(note.place)
    const losing = saw.filter((integration) => !seeing.includes(integration))
    const moved = this.#moved(note, place)
    this.notes.put(moved)
    if (this.#parts.contract.eventOrder === 'ended_first') this.#pendingUpdates.lost(note_id, losing)
    this.#announce({ event_type: 'note.deleted', reason: 'access_lost' }, note, losing)
    if (this.#parts.contract.accessGained !== 'announced') return
    const gaining = seeing.filter((integration) => !saw.includes(integration))
    this.#announce({ event_type: 'note.updated' }, moved, gaining)
  }

  /** The spoken lines of the sessions that have ended. */
  linesOf(note: NoteRecord): readonly SpokenLine[] {
    return note.sessions
      .filter(({ ended }) => ended)
      .flatMap(
        ({ lines, recording_session_id }) =>
          lines ?? plausibleConversation(this.#parts.random.fork(recording_session_id)),
      )
  }

  /** The summary as Markdown, or `null` if it is not ready. */
  summaryOf(note: NoteRecord): string | null {
    if (note.summary_status !== 'ready') return null
    return note.summary ?? plausibleSummary(this.#parts.random.fork(note.note_id), this.linesOf(note))
  }

  #moved(note: NoteRecord, place: Place): NoteRecord {
    if (place === note.place || this.#parts.contract.accessGained !== 'revised') return noteMoved(note, place)
    return noteMovedAndRevised(note, place, this.#parts.timeline.now())
  }

  #generateSummary(note_id: string): void {
    const raises = this.#parts.contract.summaryRaisesRevision ? 'raises' : 'keeps'
    const ms = this.#summaryTimes.integer(SUMMARY_MS.least, SUMMARY_MS.most)
    const generation = this.#parts.timeline.schedule(ms, () => {
      const generated = summaryGenerated(this.#live(note_id), this.#parts.timeline.now(), raises)
      this.notes.put(generated)
      this.#announce({ event_type: 'note.summary.generated' }, generated)
    })
    this.#summariesUnderWay.set(note_id, generation)
  }

  #announce(happening: NoteHappening, note: NoteRecord, to = this.integrations.thatSee(note.place)): void {
    this.#parts.announce(
      noteEventOf({
        happening,
        note,
        event_id: this.#parts.makeIdentifier('event'),
        now: this.#parts.timeline.now(),
        contract: this.#parts.contract,
      }),
      to,
    )
  }

  #live(note_id: string): NoteRecord {
    const note = this.note(note_id)
    if (note.status === 'deleted') {
      throw new MockServerError('note_deleted', {
        problem: `the note ${note_id} was deleted, and a deleted note cannot be changed`,
        remedy: 'Record a new note.',
      })
    }
    return note
  }

  #mustExist(place: Place): void {
    if (place === 'personal' || this.#channels.has(place)) return
    throw new MockServerError('channel_unknown', {
      problem: `this service has no channel ${place}`,
      remedy: 'Use a channel that was created in this service.',
    })
  }
}

function sessionNotUnderWay(recording_session_id: string, session: SessionRecord | undefined): MockServerError {
  return session === undefined
    ? new MockServerError('session_unknown', {
        problem: `the note has no recording session ${recording_session_id}`,
        remedy: 'Pass the recording_session_id of a session of this note.',
      })
    : new MockServerError('session_ended', {
        problem: `the recording session ${recording_session_id} has already ended, and a session can end only once`,
        remedy: 'Start another session of the note.',
      })
}
