import { NotesClientError } from '@notewire/client'
import {
  type Mirror,
  type MirrorCommit,
  MirrorError,
  type MirrorErrorCode,
  type MirroredNote,
  type MirrorProgress,
  type MirrorStore,
} from '@notewire/mirror'
import { isTombstone, type Note } from '@notewire/protocol'
import type { Answer } from './answer.ts'
import type { Circumstances } from './circumstances.ts'
import type { Letter } from './letter.ts'
import type { Moments } from './moments.ts'
import { Stopped } from './stopped.ts'
import { StoreDownError } from './store-down-error.ts'
import type { TrueNote } from './true-note.ts'
import type { World } from './world.ts'

/** What is known of the way that the mirror shows a note. */
interface Showing {
  /** Since when it shows the note, with nothing but events between; `undefined` while it does not. */
  shownSince: number | undefined
  isShown: boolean
  /** When it settled that the note is gone. */
  goneAt: number | undefined
  highestRevision: number
  /** When the event arrived of which it has acknowledged that the note is gone. */
  hiddenSince: number
  /** When the latest request left that found the note. */
  foundSince: number
  /** When the latest request left that did not. */
  missedSince: number
  /** When the latest event arrived that it has acknowledged. */
  heardAt: number
  /** Up to which moment it has been told by events what became of the note. */
  toldUpTo: number
  /** The same, of events that said that it is gone. */
  toldOfEndUpTo: number
  /** Whether anything has told it that the note is gone, since it was gone last. */
  hasCause: boolean
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
  readonly #moments: Moments
  readonly #world: World
  readonly #circumstances: Circumstances
  /** A mirror on the shared store itself, which no fault reaches. */
  readonly mirror: Mirror
  readonly #store: MirrorStore
  readonly #showings = new Map<string, Showing>()
  #watermark = Number.NEGATIVE_INFINITY

  constructor(facts: JudgeFacts) {
    this.#moments = facts.moments
    this.#world = facts.world
    this.#circumstances = facts.circumstances
    this.mirror = facts.mirror
    this.#store = facts.store
  }

  /** Something was written. */
  async look({ notes, progress }: MirrorCommit): Promise<void> {
    for (const { state } of notes) await this.#lookAt(this.#noteOf(state.noteId))
    if (progress !== undefined) this.#refuseProgress(progress.next)
  }

  /** An answer has reached whoever asked. */
  answered({ url, status, text }: Answer, begunAt: number): void {
    const path = /\/v1\/notes(?:\/(?<noteId>[^/]+))?$/.exec(url.pathname)
    if (path === null) return
    const noteId = path.groups?.['noteId']
    if (status === 404 && noteId !== undefined) missed(this.#showingOf(noteId), begunAt)
    if (status !== 200) return
    const body = JSON.parse(text)
    if (noteId !== undefined) this.#read(body, begunAt)
    else this.#listed(body, url, begunAt)
  }

  /** The service was told that an event need not come again. */
  async acknowledged({ kind, noteId, writtenAt }: Letter, arrivedAt: number): Promise<void> {
    const showing = this.#showingOf(noteId)
    showing.heardAt = Math.max(showing.heardAt, arrivedAt)
    await this.#refuseForgetting(this.#noteOf(noteId), showing)
    showing.toldUpTo = Math.max(showing.toldUpTo, writtenAt)
    if (kind !== 'note.deleted') return
    showing.toldOfEndUpTo = Math.max(showing.toldOfEndUpTo, writtenAt)
    showing.hasCause = true
    showing.hiddenSince = Math.max(showing.hiddenSince, arrivedAt)
    this.#refuseShown(this.#noteOf(noteId), showing)
  }

  /** Whether the mirror has acknowledged the event of the last thing that became of a note. */
  wasToldAll({ id, changedAt, isVisible }: TrueNote): boolean {
    const { toldUpTo, toldOfEndUpTo } = this.#showingOf(id)
    // An update may be told of after the note has gone (open point 29).
    return (isVisible ? toldUpTo : toldOfEndUpTo) > changedAt
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

  #isToBeExpected(code: MirrorErrorCode): boolean {
    // Whoever has another key than the mirror was made with; whoever accepts what another has accepted meanwhile.
    return code === 'scan_unknown' || (code === 'key_changed' && this.#circumstances.isKeyReplaced)
  }

  /** Keeps the first. */
  violated(how: string): void {
    this.violation ??= how
  }

  #listed(body: Readonly<Record<string, unknown>>, { searchParams }: URL, begunAt: number): void {
    const notes = body[this.#circumstances.contract.notesField ?? 'notes']
    for (const note of notes as readonly Note[]) this.#read(note, begunAt)
    // What a listing of everything did not show may be missing.
    const isLast = body['has_more'] === false
    if (isLast && !searchParams.has('updated_after')) {
      for (const showing of this.#showings.values()) missed(showing, begunAt)
    }
  }

  #read(note: Note & { readonly id?: string }, begunAt: number): void {
    const showing = this.#showingOf(note.note_id ?? note.id)
    if (isTombstone(note)) missed(showing, begunAt)
    else showing.foundSince = Math.max(showing.foundSince, begunAt)
  }

  async #lookAt(note: TrueNote): Promise<void> {
    const shown = await this.mirror.get(note.id)
    const { presence } = await this.mirror.explain(note.id)
    const showing = this.#showingOf(note.id)
    if (shown === undefined) await this.#refuseRemoval(note, showing, presence)
    else this.#refuseShowing(note, showing, shown)
    showing.isShown = shown !== undefined
    await this.#refuseForgetting(note, showing)
  }

  /** An event about a note that is not shown is never dropped: somebody must ask after it has come. */
  async #refuseForgetting({ id, name }: TrueNote, { heardAt, foundSince, missedSince }: Showing): Promise<void> {
    const { state } = await this.mirror.explain(id)
    if (state === undefined || state.presence === 'live' || state.dirty !== null) return
    if (Math.max(foundSince, missedSince) > heardAt) return
    this.violated(`An event about ${name} was acknowledged, and is forgotten before anybody has asked.`)
  }

  #refuseShowing(note: TrueNote, showing: Showing, shown: MirroredNote): void {
    if (!showing.isShown) {
      const { goneAt } = showing
      if (goneAt !== undefined && !note.wasEverVisibleSince(goneAt)) {
        this.violated(`${note.name} is shown again, though it has not come back since it was settled that it is gone.`)
      }
      showing.shownSince ??= this.#moments.next()
      showing.goneAt = undefined
      showing.isShown = true
    }
    this.#refuseShown(note, showing)
    this.#refuseContent(note, showing, shown)
  }

  #refuseShown(note: TrueNote, { isShown, hiddenSince, foundSince }: Showing): void {
    if (!isShown || foundSince > hiddenSince) return
    this.violated(
      `${note.name} is shown after the event was acknowledged that it is gone, and nothing that was asked later has found it.`,
    )
  }

  #refuseContent(note: TrueNote, showing: Showing, shown: MirroredNote): void {
    const { revision, title } = shown.note
    if (revision < showing.highestRevision) {
      this.violated(`${note.name} goes back from revision ${showing.highestRevision} to ${revision}.`)
    }
    showing.highestRevision = revision
    const trueTitle = note.titleAt(revision)
    if (title !== undefined && title !== trueTitle) {
      this.violated(`${note.name} has the title "${title}" at revision ${revision}, which is "${trueTitle}".`)
    }
    if (shown.isSettled) this.#refuseSettled(note, shown)
  }

  #refuseSettled(note: TrueNote, { note: record, transcript, summary }: MirroredNote): void {
    const { contract, keep, rates } = this.#circumstances
    const { revision, transcript_status, summary_status } = record
    // Content that does not tell its revision is told by reads before and after it, and those lag behind.
    const isTold = (contract.contentRevision ?? 'current') === 'current'
    if (!isTold && rates.staleAnswer > 0) return
    const words = note.transcriptAt(revision) ?? ''
    const hasWords =
      (transcript?.text ?? '') === words || (transcript === null && this.#mayMiss(note, transcript_status))
    if (keep.includes('transcript') && !hasWords) {
      this.violated(
        `${note.name} is settled at revision ${revision} with the transcript "${transcript?.text}", not "${words}".`,
      )
    }
    const summaries = note.summariesAt(revision)
    const markdown = summary?.markdown ?? null
    const mayMiss = contract.summaryRaisesRevision === false || this.#mayMiss(note, summary_status)
    if (keep.includes('summary') && !summaries.includes(markdown) && !(mayMiss && markdown === null)) {
      this.violated(
        `${note.name} is settled at revision ${revision} with the summary "${markdown}", not "${summaries}".`,
      )
    }
  }

  /**
   * Content may be missing where no status says that it is there: for a second after its event; or when the note left and came
   * back between the read of its content and the one that confirms it. A scan looks again.
   */
  #mayMiss({ hasMoved }: TrueNote, status: string | null | undefined): boolean {
    return status !== 'ready' && (hasMoved || this.#circumstances.contract.eventOrder === 'any')
  }

  async #refuseRemoval(note: TrueNote, showing: Showing, presence: string): Promise<void> {
    const { shownSince } = showing
    const wasVisible = shownSince !== undefined && note.wasVisibleSince(shownSince)
    if (presence === 'gone') {
      if (wasVisible) this.violated(`${note.name} was removed, though it was in sight ever since it was shown.`)
      if (shownSince !== undefined && !showing.hasCause) this.violated(`${note.name} was removed without a cause.`)
      showing.shownSince = undefined
      showing.hasCause = false
      showing.goneAt ??= this.#moments.next()
      await this.#refuseRemains(note)
    }
    if (!showing.isShown) return
    if (presence === 'hidden' && wasVisible && !(await this.#isHiddenByEvent(note))) {
      this.violated(`${note.name} was hidden without an event, though it was in sight ever since it was shown.`)
    }
    const found = await this.mirror.search(note.word)
    if (found.length > 0) this.violated(`${note.name} is not shown, and found.`)
  }

  async #refuseRemains({ id, name }: TrueNote): Promise<void> {
    const stored = await this.#store.getNote(this.mirror.scope, id)
    const isErased = stored === undefined || (stored.note ?? stored.transcript ?? stored.summary) === null
    if (!isErased) this.violated(`${name} is gone, and what it said is still there.`)
  }

  async #isHiddenByEvent(note: TrueNote): Promise<boolean> {
    const { state } = await this.mirror.explain(note.id)
    return state?.hiddenBy != null
  }

  #refuseProgress({ poll: { watermark } }: MirrorProgress): void {
    if (watermark === null) return
    // A page that lags behind is dated before those of the poll before.
    if (watermark < this.#watermark && this.#circumstances.rates.staleAnswer === 0) {
      this.violated(`The watermark goes back from ${timeOf(this.#watermark)} to ${timeOf(watermark)}.`)
    }
    this.#watermark = watermark
    if (watermark > this.#world.service.clock.now()) {
      this.violated(`The watermark is ${timeOf(watermark)}, which is still to come.`)
    }
  }

  #showingOf(noteId: string): Showing {
    const known = this.#showings.get(noteId)
    if (known !== undefined) return known
    const showing: Showing = {
      shownSince: undefined,
      isShown: false,
      goneAt: undefined,
      highestRevision: 0,
      hiddenSince: 0,
      foundSince: 0,
      missedSince: 0,
      heardAt: 0,
      hasCause: false,
      toldUpTo: 0,
      toldOfEndUpTo: 0,
    }
    this.#showings.set(noteId, showing)
    return showing
  }

  #noteOf(noteId: string): TrueNote {
    const note = this.#world.find(noteId)
    if (note === undefined) throw new Error(`nobody has ever made ${noteId}`)
    return note
  }
}

function missed(showing: Showing, begunAt: number): void {
  showing.hasCause = true
  showing.missedSince = Math.max(showing.missedSince, begunAt)
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
