import type { NoteHandle, RecordingHandle } from '@notewire/mock-server'

/** What a note says from a revision on. */
interface Since<Value> {
  readonly revision: number
  readonly value: Value
}

/** One session's words, and the summary of it that is to come. */
interface Ending {
  readonly transcript: string
  /** `null` for none at all. */
  readonly summary: string | null
}

/** A note as it really is and was: all that the key can see of it, written down when the owner does it. */
export class TrueNote {
  readonly id: string
  /** For the chronicle. */
  readonly name: string
  /** A word that stands in this note's title, and nowhere else. */
  readonly word: string
  readonly handle: NoteHandle
  readonly recordings: RecordingHandle[] = []
  isDeleted = false
  /** Where the key does not see it, deleted or not. */
  isElsewhere = false
  hasMoved = false
  /** When it came into sight or left it last, by the service's clock. */
  turnedAt = 0
  /** The moment of the last change that the key can see. */
  changedAt = 0
  sessions = 0
  /** The revision that explains everything so far. A higher one means that a summary was generated. */
  explainedRevision: number
  isSummaryUnderWay = false
  readonly #visibility: { readonly moment: number; readonly isVisible: boolean }[] = []
  readonly #titles: Since<string>[] = []
  readonly #transcripts: Since<string>[] = []
  readonly #summaries: Since<string | null>[] = []

  constructor(handle: NoteHandle, number: number, title: string) {
    this.handle = handle
    this.id = handle.note_id
    this.name = `note ${number}`
    this.word = wordOf(number)
    this.explainedRevision = handle.revision
    this.#titles.push({ revision: handle.revision, value: title })
  }

  get isVisible(): boolean {
    return this.#visibility.at(-1)?.isVisible ?? false
  }

  /** It comes into the key's sight, or leaves it. */
  turn(moment: number, isVisible: boolean): void {
    this.#visibility.push({ moment, isVisible })
  }

  retitle(title: string): void {
    this.#titles.push({ revision: this.handle.revision, value: title })
  }

  endSession({ transcript, summary }: Ending): void {
    const revision = this.handle.revision
    const before = this.#transcripts.at(-1)?.value
    this.#transcripts.push({ revision, value: joined(before, transcript) })
    this.#summaries.push({ revision, value: null })
    this.#nextSummary = summary
    this.isSummaryUnderWay = summary !== null
  }

  #nextSummary: string | null = null

  /** The summary of the last session is there. */
  summarised(): void {
    this.isSummaryUnderWay = false
    this.#summaries.push({ revision: this.handle.revision, value: this.#nextSummary })
  }

  /** The summary that the last session has, or will have. */
  get lastSummary(): string | null {
    return this.#nextSummary
  }

  /** Whether it was in sight at every moment since then. */
  wasVisibleSince(moment: number): boolean {
    return this.#since(moment).every((isVisible) => isVisible)
  }

  /** Whether it was in sight at any moment since then. */
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

  /** All that the summary was at this revision: it may come without a new one (open point 20). */
  summariesAt(revision: number): readonly (string | null)[] {
    const atRevision = this.#summaries.filter((summary) => summary.revision === revision).map(({ value }) => value)
    const before = valueAt(
      this.#summaries.filter((summary) => summary.revision < revision),
      revision,
    )
    // An ended session is a revision of its own, so that nothing of the one before is left at it.
    const isNew = this.#transcripts.some((transcript) => transcript.revision === revision)
    return isNew ? atRevision : [before ?? null, ...atRevision]
  }

  /** Every transcript and summary that came after a revision. */
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

/** The word that stands in the title of a note, and in no other. */
function wordOf(number: number): string {
  return `topic${number}x`
}

function valueAt<Value>(values: readonly Since<Value>[], revision: number): Value | undefined {
  return values.findLast((each) => each.revision <= revision)?.value
}

function joined(before: string | undefined, transcript: string): string {
  return [before, transcript].filter((part) => part !== undefined && part !== '').join('\n')
}
