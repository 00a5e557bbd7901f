import { NotesClientError } from '@notewire/client'
import {
  type Mirror,
  MirrorError,
  type MirrorErrorCode,
  type MirroredNote,
  type MirrorStore,
  type NoteState,
} from '@notewire/mirror'
import { reads } from '../../packages/mirror/fixtures/store-reads.ts'
import type { MirrorProgress } from '../../packages/mirror/src/integrations/progress.ts'
import type { MirrorCommit } from '../../packages/mirror/src/stores/mirror-store.ts'
import type { Answer } from './answer.ts'
import { Stopped, StoreDownError } from './errors.ts'
import type { EventMessage } from './event-message.ts'
import type { LogicalClock } from './logical-clock.ts'
import type { NoteModel } from './note-model.ts'
import { ReceivedEvidence } from './received-evidence.ts'
import type { Scenario } from './scenario.ts'
import { findMismatch } from './shown-note-check.ts'
import type { World } from './world.ts'

/** After this time, every replica contains a visible note, even if the mirror applied the answer late. In milliseconds. */
const REPLICATED_AFTER_MS = 600_000

/** Whether and since when the mirror shows a note. Times are of the logical clock. */
interface ShownState {
  isShown: boolean
  /** When the mirror began to show the note, without counting hiding by events; `undefined` after the note was removed. */
  shownSince: number | undefined
  /** How long the note had been visible to the key when the mirror began to show it, in milliseconds. */
  visibleBeforeMs: number
  /** When the mirror removed the note; `undefined` while it shows the note. */
  goneAt: number | undefined
  highestRevision: number
}

interface CheckerParts {
  readonly logicalClock: LogicalClock
  readonly world: World
  readonly scenario: Scenario
  readonly mirror: Mirror
  readonly store: MirrorStore
}

/**
 * Checks the invariants of a mirror: compares what it shows with the model of the service and with the evidence that it has received. It uses only
 * methods that users call.
 */
export class InvariantChecker {
  violation: string | undefined
  /** Whether more notes have left than a full listing may remove without `acceptRemovals`. */
  expectsHeldRemovals = false
  /** Whether the service was restored from a backup, so that the model no longer applies. */
  isPaused = false
  /** A mirror over the shared store, without faults. */
  readonly mirror: Mirror
  readonly #logicalClock: LogicalClock
  readonly #world: World
  readonly #scenario: Scenario
  readonly #store: MirrorStore
  readonly #evidence: ReceivedEvidence
  readonly #shownStates = new Map<string, ShownState>()
  #watermark = Number.NEGATIVE_INFINITY

  constructor(facts: CheckerParts) {
    this.mirror = facts.mirror
    this.#logicalClock = facts.logicalClock
    this.#world = facts.world
    this.#scenario = facts.scenario
    this.#store = facts.store
    this.#evidence = new ReceivedEvidence(facts.scenario.contract.notesField)
  }

  /** Checks the notes and the progress of a commit. */
  async onCommit({ notes, progress }: MirrorCommit): Promise<void> {
    if (this.isPaused) return
    for (const { state } of notes) await this.#checkNote(this.#noteOf(state.noteId))
    if (progress !== undefined) this.#checkProgress(progress)
  }

  /** Records an answer that has reached its process. */
  onAnswer(answer: Answer, requestedAt: number): void {
    this.#evidence.recordAnswer(answer, requestedAt, this.#logicalClock.next())
  }

  /** Records an acknowledged event, and checks its note. */
  async onAcknowledged(message: EventMessage, arrivedAt: number): Promise<void> {
    this.#evidence.recordEvent(message, arrivedAt, this.#logicalClock.next())
    if (this.isPaused) return
    const note = this.#noteOf(message.noteId)
    if (this.isShown(note)) this.#checkShownAfterDeletion(note)
    this.#checkEventNotLost(note, (await this.mirror.explain(note.id)).state)
  }

  /** Whether the mirror has acknowledged the event of the last change of a note. */
  hasReceivedLastEvent({ id, changedAt, isVisible }: NoteModel): boolean {
    const { announcedUpTo, removalAnnouncedUpTo } = this.#evidence.of(id)
    // An update may be announced after the note was deleted (open point 29).
    return (isVisible ? announcedUpTo : removalAnnouncedUpTo) > changedAt
  }

  isShown({ id }: NoteModel): boolean {
    return this.#shownStateOf(id).isShown
  }

  /** Checks an error that was thrown or passed to a hook. */
  onError(error: unknown, expected?: MirrorErrorCode): void {
    if (error instanceof NotesClientError || error instanceof StoreDownError || error instanceof Stopped) return
    if (error instanceof MirrorError && (error.code === expected || this.#isExpected(error.code))) return
    const stack = error instanceof Error ? error.stack : String(error)
    this.violated(`An undocumented error: ${stack}`)
  }

  /** Records a violation, if it is the first. */
  violated(how: string): void {
    this.violation ??= how
  }

  #isExpected(code: MirrorErrorCode): boolean {
    // Another process lists for long, the process has another key than the one of the mirror, or accepts removals that another one has accepted.
    if (code === 'full_listing_unknown' || code === 'listing_stalled' || code === 'mirror_in_use') return true
    return code === 'key_changed' && this.#scenario.isKeyReplaced
  }

  async #checkNote(note: NoteModel): Promise<void> {
    const shown = await this.mirror.get(note.id)
    const { state } = await this.mirror.explain(note.id)
    if (shown === undefined) await this.#checkUnshownNote(note, state)
    else this.#checkShownNote(note, shown)
    this.#shownStateOf(note.id).isShown = shown !== undefined
    this.#checkEventNotLost(note, state)
  }

  #checkShownNote(note: NoteModel, shown: MirroredNote): void {
    const shownState = this.#shownStateOf(note.id)
    const { goneAt, highestRevision } = shownState
    if (!this.#hasLaggingReplicas && goneAt !== undefined && !note.wasEverVisibleSince(goneAt)) {
      this.violated(`${note.name} is shown again although it was removed and did not become visible since.`)
    }
    this.#checkShownAfterDeletion(note)
    const { revision } = shown.note
    if (revision < highestRevision) {
      this.violated(`${note.name} goes back from revision ${highestRevision} to ${revision}.`)
    }
    const untruth = findMismatch(note, shown, this.#scenario)
    if (untruth !== undefined) this.violated(`${note.name} ${untruth}.`)
    if (shownState.shownSince === undefined) {
      shownState.shownSince = this.#logicalClock.next()
      shownState.visibleBeforeMs = this.#world.service.clock.now() - note.visibilityChangedAt
    }
    shownState.goneAt = undefined
    shownState.highestRevision = revision
  }

  /** After a deletion event was acknowledged, only a later request may show the note again. */
  #checkShownAfterDeletion(note: NoteModel): void {
    const { id, name } = note
    const { foundAt, removalArrivedAt, removalAnnouncedUpTo } = this.#evidence.of(id)
    if (removalAnnouncedUpTo > 0 && !note.wasEverVisibleSince(removalAnnouncedUpTo)) {
      this.violated(`${name} is shown after its deletion event was acknowledged, and did not become visible since.`)
    }
    if (foundAt > removalArrivedAt) return
    this.violated(`${name} is shown after its deletion event was acknowledged, and no later request has found it.`)
  }

  async #checkUnshownNote(note: NoteModel, state: NoteState | undefined): Promise<void> {
    const shownState = this.#shownStateOf(note.id)
    const wasVisible =
      shownState.shownSince !== undefined &&
      note.wasVisibleSince(shownState.shownSince) &&
      // A lagging replica may not contain a new note yet.
      (!this.#hasLaggingReplicas || shownState.visibleBeforeMs > REPLICATED_AFTER_MS)
    if (state?.presence === 'hidden' && shownState.isShown && wasVisible && state.hiddenSequence === null) {
      this.violated(`${note.name} was hidden without an event although it was visible ever since it was shown.`)
    }
    if (state?.presence === 'gone') await this.#checkGoneNote(note, shownState, wasVisible)
    if (shownState.isShown && (await this.mirror.search(note.word)).length > 0) {
      this.violated(`${note.name} is not shown, but a search finds it.`)
    }
  }

  async #checkGoneNote({ id, name, isDeleted }: NoteModel, shownState: ShownState, wasVisible: boolean): Promise<void> {
    if (wasVisible) this.violated(`${name} was removed although it was visible ever since it was shown.`)
    const evidence = this.#evidence.of(id)
    if (shownState.shownSince !== undefined && evidence.possiblyGoneAt === 0)
      this.violated(`${name} was removed without evidence.`)
    if (shownState.isShown && !isDeleted && evidence.notFoundAt < evidence.heardAt) {
      this.violated(
        `${name} was removed after an event about it, although the read that did not find it began before the event.`,
      )
    }
    evidence.possiblyGoneAt = 0
    shownState.shownSince = undefined
    shownState.goneAt ??= this.#logicalClock.next()
    const stored = await reads(this.#store).getNote(this.mirror.integration, id)
    const isErased = stored === undefined || (stored.note ?? stored.transcript ?? stored.summary) === null
    if (!isErased) this.violated(`${name} is gone, but its content is not erased.`)
  }

  /** An event about a note that is not shown must lead to a read that begins after the event arrived. */
  #checkEventNotLost({ id, name, isDeleted }: NoteModel, state: NoteState | undefined): void {
    // A deleted note stays deleted, even if another event arrives.
    if (state === undefined || state.presence === 'live' || state.readAfterSequence !== null || isDeleted) return
    const { foundAt, notFoundAt, heardAt } = this.#evidence.of(id)
    if (Math.max(foundAt, notFoundAt) > heardAt) return
    this.violated(`An event about ${name} was acknowledged, but no read began after it.`)
  }

  #checkProgress({ poll: { watermark } }: MirrorProgress): void {
    if (watermark === null) return
    // The pages of a lagging replica may have earlier dates than those of the previous poll.
    // The clock of an instance bounds its watermarks, because a header `Date` may be wrong. An instance whose clock is behind therefore lists
    // again what another instance has listed, by as much as its clock is behind and no more, and loses nothing.
    const behindMs = Math.max(0, ...this.#scenario.skewsMs.map((skewMs) => -skewMs))
    const isBack = watermark < this.#watermark - behindMs
    if (isBack && this.#scenario.rates.staleAnswer === 0 && !this.#hasLaggingReplicas) {
      this.violated(`The watermark goes back from ${timeOf(this.#watermark)} to ${timeOf(watermark)}.`)
    }
    this.#watermark = watermark
    if (watermark > this.#world.service.clock.now()) {
      this.violated(`The watermark is ${timeOf(watermark)}, in the future.`)
    }
  }

  get #hasLaggingReplicas(): boolean {
    return this.#scenario.lagsMs.length > 0
  }

  #shownStateOf(noteId: string): ShownState {
    const known = this.#shownStates.get(noteId) ?? {
      isShown: false,
      shownSince: undefined,
      visibleBeforeMs: 0,
      goneAt: undefined,
      highestRevision: 0,
    }
    this.#shownStates.set(noteId, known)
    return known
  }

  #noteOf(noteId: string): NoteModel {
    const note = this.#world.find(noteId)
    if (note === undefined) throw new Error(`the world has no note ${noteId}`)
    return note
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
