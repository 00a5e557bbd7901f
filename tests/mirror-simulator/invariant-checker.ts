import { NotesClientError } from '@notewire/client'
import {
  type Mirror,
  type MirrorCommit,
  MirrorError,
  type MirrorErrorCode,
  type MirroredNote,
  type MirrorProgress,
  type MirrorStore,
  type NoteState,
} from '@notewire/mirror'
import type { Answer } from './answer.ts'
import type { Circumstances } from './circumstances.ts'
import { Knowledge } from './knowledge.ts'
import type { Letter } from './letter.ts'
import type { Moments } from './moments.ts'
import { Stopped } from './stopped.ts'
import { StoreDownError } from './store-down-error.ts'
import type { TrueNote } from './true-note.ts'
import { untruthOf } from './untruth.ts'
import type { World } from './world.ts'

/** After how long in sight every replica knows of a note, also when the answer that showed it was written down late. */
const LONG_IN_SIGHT_MS = 600_000

/** How the mirror has shown a note so far. */
interface Showing {
  isShown: boolean
  /** Since when it shows the note, with nothing but events between; `undefined` while it does not. */
  shownSince: number | undefined
  /** For how long the note had been in sight when the mirror began to show it, in milliseconds. */
  inSightBeforeMs: number
  /** When it settled that the note is gone; `undefined` while it shows it. */
  goneAt: number | undefined
  highestRevision: number
}

interface JudgeFacts {
  readonly moments: Moments
  readonly world: World
  readonly circumstances: Circumstances
  readonly mirror: Mirror
  readonly store: MirrorStore
}

/**
 * Holds everything that the mirror shows against what is true, and against what it was told: from outside, through what
 * users call.
 */
export class Judge {
  violation: string | undefined
  /** Whether more has left than a scan may remove without being told. */
  mustHold = false
  /** Whether what is true has been taken back, so that nothing is judged by it any more. */
  rests = false
  /** A mirror on the shared store itself, which no fault reaches. */
  readonly mirror: Mirror
  readonly #moments: Moments
  readonly #world: World
  readonly #circumstances: Circumstances
  readonly #store: MirrorStore
  readonly #knowledge: Knowledge
  readonly #showings = new Map<string, Showing>()
  #watermark = Number.NEGATIVE_INFINITY

  constructor(facts: JudgeFacts) {
    this.mirror = facts.mirror
    this.#moments = facts.moments
    this.#world = facts.world
    this.#circumstances = facts.circumstances
    this.#store = facts.store
    this.#knowledge = new Knowledge(facts.circumstances.contract.notesField)
  }

  /** Something was written. */
  async look({ notes, progress }: MirrorCommit): Promise<void> {
    if (this.rests) return
    for (const { state } of notes) await this.#lookAt(this.#noteOf(state.noteId))
    if (progress !== undefined) this.#refuseProgress(progress.next)
  }

  /** An answer has reached the process that asked. */
  answered(answer: Answer, begunAt: number): void {
    this.#knowledge.answered(answer, begunAt, this.#moments.next())
  }

  /** The service was told that an event need not come again. */
  async acknowledged(letter: Letter, arrivedAt: number): Promise<void> {
    this.#knowledge.acknowledged(letter, arrivedAt, this.#moments.next())
    const note = this.#noteOf(letter.noteId)
    if (this.isShown(note)) this.#refuseShown(note)
    this.#refuseForgetting(note, (await this.mirror.explain(note.id)).state)
  }

  /** Whether the mirror has acknowledged the event of the last thing that became of a note. */
  wasToldAll({ id, changedAt, isVisible }: TrueNote): boolean {
    const { toldUpTo, endToldUpTo } = this.#knowledge.of(id)
    // An update may be told of after the note has gone (open point 29).
    return (isVisible ? toldUpTo : endToldUpTo) > changedAt
  }

  isShown({ id }: TrueNote): boolean {
    return this.#showingOf(id).isShown
  }

  /** Something was thrown, or told of. */
  failed(error: unknown, expected?: MirrorErrorCode): void {
    if (error instanceof NotesClientError || error instanceof StoreDownError || error instanceof Stopped) return
    if (error instanceof MirrorError && (error.code === expected || this.#isToBeExpected(error.code))) return
    const stack = error instanceof Error ? error.stack : String(error)
    this.violated(`Something is thrown that is not documented: ${stack}`)
  }

  /** Keeps the first. */
  violated(how: string): void {
    this.violation ??= how
  }

  #isToBeExpected(code: MirrorErrorCode): boolean {
    // The process has another key than the mirror was made with, or accepts removals that another process has accepted.
    return code === 'scan_unknown' || (code === 'key_changed' && this.#circumstances.isKeyReplaced)
  }

  async #lookAt(note: TrueNote): Promise<void> {
    const shown = await this.mirror.get(note.id)
    const { state } = await this.mirror.explain(note.id)
    if (shown === undefined) await this.#refuseRemoval(note, state)
    else this.#refuseShowing(note, shown)
    this.#showingOf(note.id).isShown = shown !== undefined
    this.#refuseForgetting(note, state)
  }

  #refuseShowing(note: TrueNote, shown: MirroredNote): void {
    const showing = this.#showingOf(note.id)
    const { goneAt, highestRevision } = showing
    if (!this.#lags && goneAt !== undefined && !note.wasEverVisibleSince(goneAt)) {
      this.violated(`${note.name} is shown again, though it has not come back since it was settled that it is gone.`)
    }
    this.#refuseShown(note)
    const { revision } = shown.note
    if (revision < highestRevision) {
      this.violated(`${note.name} goes back from revision ${highestRevision} to ${revision}.`)
    }
    const untruth = untruthOf(note, shown, this.#circumstances)
    if (untruth !== undefined) this.violated(`${note.name} ${untruth}.`)
    if (showing.shownSince === undefined) {
      showing.shownSince = this.#moments.next()
      showing.inSightBeforeMs = this.#world.service.clock.now() - note.turnedAt
    }
    showing.goneAt = undefined
    showing.highestRevision = revision
  }

  /** Once the event was acknowledged that it is gone, only what was asked later shows it again. */
  #refuseShown(note: TrueNote): void {
    const { id, name } = note
    const { foundSince, endHeardAt, endToldUpTo } = this.#knowledge.of(id)
    if (endToldUpTo > 0 && !note.wasEverVisibleSince(endToldUpTo)) {
      this.violated(`${name} is shown after an event was acknowledged that it is gone, and has not come back since.`)
    }
    if (foundSince > endHeardAt) return
    this.violated(
      `${name} is shown after the event was acknowledged that it is gone, and nothing that was asked later has found it.`,
    )
  }

  async #refuseRemoval(note: TrueNote, state: NoteState | undefined): Promise<void> {
    const showing = this.#showingOf(note.id)
    const wasVisible =
      showing.shownSince !== undefined &&
      note.wasVisibleSince(showing.shownSince) &&
      // A replica that lags may not know a note yet that was just shown.
      (!this.#lags || showing.inSightBeforeMs > LONG_IN_SIGHT_MS)
    if (state?.presence === 'hidden' && showing.isShown && wasVisible && state.hiddenBy === null) {
      this.violated(`${note.name} was hidden without an event, though it was in sight ever since it was shown.`)
    }
    if (state?.presence === 'gone') await this.#refuseGone(note, showing, wasVisible)
    if (showing.isShown && (await this.mirror.search(note.word)).length > 0) {
      this.violated(`${note.name} is not shown, and found.`)
    }
  }

  async #refuseGone({ id, name, isDeleted }: TrueNote, showing: Showing, wasVisible: boolean): Promise<void> {
    if (wasVisible) this.violated(`${name} was removed, though it was in sight ever since it was shown.`)
    const told = this.#knowledge.of(id)
    if (showing.shownSince !== undefined && told.doubtedAt === 0) this.violated(`${name} was removed without a cause.`)
    if (showing.isShown && !isDeleted && told.missedSince < told.heardAt) {
      this.violated(
        `${name} was removed after an event had spoken of it, though the read that missed it began before the event.`,
      )
    }
    told.doubtedAt = 0
    showing.shownSince = undefined
    showing.goneAt ??= this.#moments.next()
    const stored = await this.#store.getNote(this.mirror.integration, id)
    const isErased = stored === undefined || (stored.note ?? stored.transcript ?? stored.summary) === null
    if (!isErased) this.violated(`${name} is gone, and what it said is still there.`)
  }

  /** An event about a note that is not shown is never dropped: a read must begin after it arrived. */
  #refuseForgetting({ id, name, isDeleted }: TrueNote, state: NoteState | undefined): void {
    // A deleted note stays deleted, also if another event arrives.
    if (state === undefined || state.presence === 'live' || state.dirty !== null || isDeleted) return
    const { foundSince, missedSince, heardAt } = this.#knowledge.of(id)
    if (Math.max(foundSince, missedSince) > heardAt) return
    this.violated(`An event about ${name} was acknowledged, and is forgotten before a read has begun.`)
  }

  #refuseProgress({ poll: { watermark } }: MirrorProgress): void {
    if (watermark === null) return
    // The pages of a replica that lags have earlier dates than those of the previous poll.
    if (watermark < this.#watermark && this.#circumstances.rates.staleAnswer === 0 && !this.#lags) {
      this.violated(`The watermark goes back from ${timeOf(this.#watermark)} to ${timeOf(watermark)}.`)
    }
    this.#watermark = watermark
    if (watermark > this.#world.service.clock.now()) {
      this.violated(`The watermark is ${timeOf(watermark)}, which is still to come.`)
    }
  }

  get #lags(): boolean {
    return this.#circumstances.lagsMs.length > 0
  }

  #showingOf(noteId: string): Showing {
    const known = this.#showings.get(noteId) ?? {
      isShown: false,
      shownSince: undefined,
      inSightBeforeMs: 0,
      goneAt: undefined,
      highestRevision: 0,
    }
    this.#showings.set(noteId, known)
    return known
  }

  #noteOf(noteId: string): TrueNote {
    const note = this.#world.find(noteId)
    if (note === undefined) throw new Error(`the world has no note ${noteId}`)
    return note
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
