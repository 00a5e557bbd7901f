import type { NoteEvent } from '@notewire/protocol'
import type { Cancellable, Timeline } from '../clock/timeline.ts'
import type { MakeIdentifier } from '../seed/identifiers.ts'
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
  sessionBegun,
  sessionEnded,
  summaryGenerated,
} from './note-life.ts'
import type { NoteRecord } from './note-record.ts'
import { OwnerActError } from './owner-act-error.ts'
import type { Place } from './place.ts'
import { plausibleConversation, plausibleSummary, plausibleTitle } from './plausible-words.ts'
import type { SpokenLine } from './transcript.ts'

/** How long generating a summary takes, in milliseconds. */
const SUMMARY_MS = { least: 5000, most: 30_000 }

/** Hears of an event, with the integrations that it concerns. */
type Announce = (event: NoteEvent, to: readonly Integration[]) => void

/** What a recording session leaves behind, as far as the owner says so. */
interface SessionOutcome {
  readonly lines?: readonly SpokenLine[] | undefined
  readonly summary?: string | false | undefined
}

interface WorldParts {
  readonly timeline: Timeline
  readonly random: SeededRandom
  readonly makeIdentifier: MakeIdentifier
  readonly announce: Announce
}

/** Everything that the service stores, and the consequences that the contract gives to what its owner does (§6). */
export class World {
  readonly notes = new NoteIndex()
  readonly integrations: Integrations
  readonly #timeline: Timeline
  readonly #random: SeededRandom
  readonly #titles: SeededRandom
  readonly #summaryTimes: SeededRandom
  readonly #makeIdentifier: MakeIdentifier
  readonly #announceTo: Announce
  readonly #channels = new Set<string>()
  readonly #summariesUnderWay = new Map<string, Cancellable>()

  constructor({ timeline, random, makeIdentifier, announce }: WorldParts) {
    this.#timeline = timeline
    this.#random = random
    this.#titles = random.fork('titles')
    this.#summaryTimes = random.fork('summary times')
    this.#makeIdentifier = makeIdentifier
    this.#announceTo = announce
    this.integrations = new Integrations(random.fork('keys'))
  }

  createChannel(): string {
    const channel_id = this.#makeIdentifier('channel')
    this.#channels.add(channel_id)
    return channel_id
  }

  createIntegration(places: readonly Place[]): Integration {
    for (const place of places) this.#mustExist(place)
    const integration = { integration_id: this.#makeIdentifier('integration'), places }
    this.integrations.add(integration)
    return integration
  }

  note(note_id: string): NoteRecord {
    const note = this.notes.find(note_id)
    if (note !== undefined) return note
    throw new OwnerActError('note_unknown', `this service has no note ${note_id}. Take a note_id that it gave out.`)
  }

  recordNote(changes: NoteChanges, place: Place): NoteRecord {
    this.#mustExist(place)
    const { title = plausibleTitle(this.#titles), content = null } = changes
    const note_id = this.#makeIdentifier('note')
    const sequence = this.notes.nextSequence
    const note = noteBegun({ note_id, sequence, title, content, place }, this.#timeline.now())
    this.notes.put(note)
    return note
  }

  beginSession(note_id: string): string {
    const recording_session_id = this.#makeIdentifier('recording_session')
    this.notes.put(sessionBegun(this.#live(note_id), recording_session_id))
    return recording_session_id
  }

  /** The content is readable before its event leaves (open point 29). */
  endSession(note_id: string, recording_session_id: string, { lines, summary }: SessionOutcome): void {
    const note = this.#live(note_id)
    if (note.sessions.some((session) => session.recording_session_id === recording_session_id && session.ended)) {
      throw new OwnerActError(
        'session_ended',
        `the recording session ${recording_session_id} has ended already, and ends once. Record another one with note.record().`,
      )
    }
    const ended = sessionEnded(note, { recording_session_id, lines }, summary, this.#timeline.now())
    this.notes.put(ended)
    this.#announce({ event_type: 'note.ended', recording_session_id }, ended)
    this.#summariesUnderWay.get(note_id)?.cancel()
    if (ended.summary_status === 'pending') this.#generateSummary(note_id)
  }

  editNote(note_id: string, changes: NoteChanges): void {
    const note = this.#live(note_id)
    const edited = noteEdited(note, changes, this.#timeline.now())
    if (edited === note) return
    this.notes.put(edited)
    // Nothing is updated for a receiver before it has ended (open point 29).
    if (edited.status === 'ended') this.#announce({ event_type: 'note.updated' }, edited)
  }

  deleteNote(note_id: string): void {
    const tombstone = noteDeleted(this.#live(note_id), this.#timeline.now())
    this.notes.put(tombstone)
    this.#summariesUnderWay.get(note_id)?.cancel()
    this.#announce({ event_type: 'note.deleted', reason: 'deleted' }, tombstone)
  }

  /** Whoever loses sight of the note is told; whoever gains it is not (open point 28). */
  moveNote(note_id: string, place: Place): void {
    this.#mustExist(place)
    const note = this.#live(note_id)
    this.notes.put(noteMoved(note, place))
    const seeing = this.integrations.thatSee(place)
    const losing = this.integrations.thatSee(note.place).filter((integration) => !seeing.includes(integration))
    this.#announce({ event_type: 'note.deleted', reason: 'access_lost' }, note, losing)
  }

  /** Everything that was said in the sessions that ended. */
  linesOf(note: NoteRecord): readonly SpokenLine[] {
    return note.sessions
      .filter(({ ended }) => ended)
      .flatMap(
        ({ lines, recording_session_id }) => lines ?? plausibleConversation(this.#random.fork(recording_session_id)),
      )
  }

  /** The summary as Markdown, or `null` while there is none. */
  summaryOf(note: NoteRecord): string | null {
    if (note.summary_status !== 'ready') return null
    return note.summary ?? plausibleSummary(this.#random.fork(note.note_id), this.linesOf(note))
  }

  #generateSummary(note_id: string): void {
    const ms = this.#summaryTimes.integer(SUMMARY_MS.least, SUMMARY_MS.most)
    const generation = this.#timeline.schedule(ms, () => {
      const generated = summaryGenerated(this.#live(note_id), this.#timeline.now())
      this.notes.put(generated)
      this.#announce({ event_type: 'note.summary.generated' }, generated)
    })
    this.#summariesUnderWay.set(note_id, generation)
  }

  #announce(happening: NoteHappening, note: NoteRecord, to = this.integrations.thatSee(note.place)): void {
    this.#announceTo(noteEventOf(happening, note, this.#makeIdentifier('event'), this.#timeline.now()), to)
  }

  #live(note_id: string): NoteRecord {
    const note = this.note(note_id)
    if (note.status === 'deleted') {
      throw new OwnerActError(
        'note_deleted',
        `the note ${note_id} was deleted, and stays so. Record a new one with owner.record().`,
      )
    }
    return note
  }

  #mustExist(place: Place): void {
    if (place === 'personal' || this.#channels.has(place)) return
    throw new OwnerActError(
      'channel_unknown',
      `the owner has no channel ${place}. Make one with owner.createChannel() of the same service.`,
    )
  }
}
