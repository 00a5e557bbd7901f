import type { NoteHandle, RecordingHandle } from '@notewire/mock-server'

/** A value from a revision on. */
interface FromRevision<Value> {
  readonly revision: number
  readonly value: Value
}

/** The transcript of a session, and its future summary. */
interface SessionContent {
  readonly transcript: string
  /** `null` if the session gets no summary. */
  readonly summary: string | null
}

/** The model of a note: the history of all fields that the key can see, recorded when the owner acts. */
export class NoteModel {
  readonly id: string
  /** The name in the log. */
  readonly name: string
  /** A word that occurs only in this note's title. */
  readonly word: string
  readonly handle: NoteHandle
  readonly recordings: RecordingHandle[] = []
  isDeleted = false
  /** Whether it is in a channel that the key does not see, deleted or not. */
  isElsewhere = false
  hasMoved = false
  /** When its visibility last changed, by the service's clock. */
  visibilityChangedAt = 0
  /** The time of the last change that the key can see, by the logical clock. */
  changedAt = 0
  sessions = 0
  /** The revision after the last known change. A higher revision means that a summary was generated. */
  expectedRevision: number
  isSummaryPending = false
  readonly #visibility: { readonly moment: number; readonly isVisible: boolean }[] = []
  readonly #titles: FromRevision<string>[] = []
  readonly #transcripts: FromRevision<string>[] = []
  readonly #summaries: FromRevision<string | null>[] = []

  constructor(handle: NoteHandle, number: number, title: string) {
    this.handle = handle
    this.id = handle.note_id
    this.name = `note ${number}`
    this.word = wordOf(number)
    this.expectedRevision = handle.revision
    this.#titles.push({ revision: handle.revision, value: title })
  }

  get isVisible(): boolean {
    return this.#visibility.at(-1)?.isVisible ?? false
  }

  /** Records that the note became visible or invisible to the key. */
  setVisible(moment: number, isVisible: boolean): void {
    this.#visibility.push({ moment, isVisible })
  }

  retitle(title: string): void {
    this.#titles.push({ revision: this.handle.revision, value: title })
  }

  endSession({ transcript, summary }: SessionContent): void {
    const revision = this.handle.revision
    const before = this.#transcripts.at(-1)?.value
    this.#transcripts.push({ revision, value: joined(before, transcript) })
    this.#summaries.push({ revision, value: null })
    this.#nextSummary = summary
    this.isSummaryPending = summary !== null
  }

  #nextSummary: string | null = null

  /** Records that the summary of the last session was generated. */
  addSummary(): void {
    this.isSummaryPending = false
    this.#summaries.push({ revision: this.handle.revision, value: this.#nextSummary })
  }

  /** The summary that the last session has, or will have. */
  get lastSummary(): string | null {
    return this.#nextSummary
  }

  /** Whether it was visible at all times since then. */
  wasVisibleSince(moment: number): boolean {
    return this.#since(moment).every((isVisible) => isVisible)
  }

  /** Whether it was visible at any time since then. */
  wasEverVisibleSince(moment: number): boolean {
    return this.#since(moment).some((isVisible) => isVisible)
  }

  titleAt(revision: number): string | undefined {
    return valueAt(this.#titles, revision)
  }

  /** `undefined` before the first session has ended. */
  transcriptAt(revision: number): string | undefined {
    return valueAt(this.#transcripts, revision)
  }

  /** All values of the summary at this revision: a summary may appear without a new revision (open point 20). */
  summariesAt(revision: number): readonly (string | null)[] {
    const atRevision = this.#summaries.filter((summary) => summary.revision === revision).map(({ value }) => value)
    const before = valueAt(
      this.#summaries.filter((summary) => summary.revision < revision),
      revision,
    )
    // An ended session has its own revision, at which the previous summary is no longer valid.
    const isNew = this.#transcripts.some((transcript) => transcript.revision === revision)
    return isNew ? atRevision : [before ?? null, ...atRevision]
  }

  /** Every transcript and summary after a revision. */
  contentAfter(revision: number): readonly (string | null)[] {
    const contents = [...this.#transcripts, ...this.#summaries]
    return contents.filter((content) => content.revision > revision).map(({ value }) => value)
  }

  #since(moment: number): readonly boolean[] {
    const then = this.#visibility.findLast((each) => each.moment <= moment)?.isVisible ?? false
    const later = this.#visibility.filter((each) => each.moment > moment).map(({ isVisible }) => isVisible)
    return [then, ...later]
  }
}

function wordOf(number: number): string {
  return `topic${number}x`
}

function valueAt<Value>(values: readonly FromRevision<Value>[], revision: number): Value | undefined {
  return values.findLast((each) => each.revision <= revision)?.value
}

function joined(before: string | undefined, transcript: string): string {
  return [before, transcript].filter((part) => part !== undefined && part !== '').join('\n')
}
