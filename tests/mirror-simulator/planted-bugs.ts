import type { StoreName } from '../simulation/history.ts'
import { type Patch, patchOf } from '../simulation/patch.ts'

/** A mistake that the simulator must find: today's published code, but for a few lines. */
export interface PlantedBug {
  readonly name: string
  /** What is wrong, for the page of the proof. */
  readonly mistake: string
  /** @default 'memory' */
  readonly store?: StoreName
  readonly patches: readonly Patch[]
}

const reading = patchOf('mirror/src/rules/read-rule.ts')
const hinting = patchOf('mirror/src/rules/hint-rule.ts')
const judgingContent = patchOf('mirror/src/rules/content-rule.ts')
const scanning = patchOf('mirror/src/listing/scan.ts')
const listing = patchOf('mirror/src/listing/lister.ts')
const refreshing = patchOf('mirror/src/refreshing/refresher.ts')
const lookingUp = patchOf('mirror/src/refreshing/note-reader.ts')
const scheduling = patchOf('mirror/src/rules/schedule.ts')
const memory = patchOf('mirror/src/stores/memory-store.ts')
const changing = patchOf('client/src/changes/note-changes.ts')
const watermark = patchOf('client/src/changes/watermark.ts')

/** What a listing did not show is removed without the read that confirms it. */
const withoutConfirmation = scanning(
  'const note = await readNote(noteId)\n',
  'const note = undefined\n  void readNote\n',
)

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'revision > with sticky tombstones',
    mistake:
      'A note that is gone comes back at a higher revision alone; one that returns at the same revision never does.',
    patches: [
      reading(
        '  const wasLive = ',
        "  if (state.presence === 'gone' && note.revision <= (state.revision ?? -1)) return { state: withEvidence(state, 'present', reading) }\n  const wasLive = ",
      ),
    ],
  },
  {
    name: 'hard deletes by a set difference',
    mistake: 'What was here and was not listed is deleted, whatever has been read or has come meanwhile.',
    patches: [
      withoutConfirmation,
      memory(
        '.filter(({ state }) => (state.evidence?.start ?? 0) < startedAt)',
        '.filter(({ state }) => state.evidence?.source !== "scan" || state.evidence.start < startedAt)',
      ),
      reading(
        'if (overlaps(state, reading) && state.evidence?.says !== says)',
        "if (says === 'present' && overlaps(state, reading) && state.evidence?.says !== says)",
      ),
    ],
  },
  {
    name: 'an absence of before the event',
    mistake: 'A read that left before an event spoke of the note, and did not find it, takes it away.',
    patches: [reading('heard !== null && start < heard.sequence', 'false')],
  },
  {
    name: 'evidence without the confirming read',
    mistake: 'What a complete listing did not show is removed without one read more.',
    patches: [withoutConfirmation],
  },
  {
    name: 'a higher revision beats a tombstone',
    mistake:
      'A record of a higher revision than that of the note that is gone shows it again, whenever it was asked for.',
    patches: [
      reading(
        'if (overlaps(state, reading) && state.evidence?.says !== says)',
        "const isHigher = says === 'present' && (answer?.revision ?? 0) > (state.revision ?? -1)\n  if (!isHigher && overlaps(state, reading) && state.evidence?.says !== says)",
      ),
    ],
  },
  {
    name: 'no look at overlapping reads',
    mistake:
      'Of two reads that contradict each other, the one whose answer comes last wins, whichever was answered last.',
    patches: [
      reading(
        'return evidence !== null && start < evidence.end',
        'return evidence !== null && start < evidence.end && start < 0',
      ),
    ],
  },
  {
    name: 'strict > at equal timestamps',
    mistake:
      'A poll asks for what is newer than the one before, without overlap: what changed within the same second is never listed.',
    patches: [watermark('export const OVERLAP_MS = 5 * 60_000', 'export const OVERLAP_MS = 0')],
  },
  {
    name: 'watermark after the backfill',
    mistake: 'The watermark is taken from the last page: what changed on an earlier page meanwhile is never listed.',
    patches: [
      changing(
        'const until = progress.underWay === undefined ? watermarkOf(page, progress.since) : progress.underWay.until',
        'const until = watermarkOf(page, progress.since)',
      ),
    ],
  },
  {
    name: 'watermark from the local clock',
    mistake: 'The watermark is the time of this machine, which is off.',
    patches: [
      {
        file: 'client/src/notes-client.ts',
        find: 'settings.notesField, drift)',
        replace: 'settings.notesField, drift, settings.clock)',
      },
      {
        file: 'client/src/notes.ts',
        find: 'notesField: string, drift: DriftWatch) {',
        replace: 'notesField: string, drift: DriftWatch, clock: { now(): number }) {\n    this.clock = clock',
      },
      {
        file: 'client/src/notes.ts',
        find: '  readonly #lookup: NoteLookup\n',
        replace: '  readonly #lookup: NoteLookup\n  clock\n',
      },
      {
        file: 'client/src/notes.ts',
        find: "date: answer.headers.get('date')",
        replace: 'date: new Date(this.clock.now()).toUTCString()',
      },
    ],
  },
  {
    name: 'deletion from a partial scan',
    mistake: 'A listing that breaks off counts as complete, and what it did not show is removed.',
    patches: [
      scanning(
        'if (!isForgottenCursor(error)) throw error',
        "if (!isForgottenCursor(error)) return await lister.advance({ scan: { ...scanOf(lister), phase: 'listed' } })",
      ),
      withoutConfirmation,
    ],
  },
  {
    name: 'an empty list taken for the truth',
    mistake: 'A listing without any note is believed without confirmation: there is nothing to read any more.',
    patches: [
      scanning('const note = await readNote(noteId)\n', 'const note = isEmpty ? undefined : await readNote(noteId)\n'),
      scanning(
        '  { readNote, ledger }: ScanTools,',
        '  { readNote, ledger, isEmpty }: ScanTools & { readonly isEmpty?: boolean },',
      ),
      scanning(
        'scan.holdsBack ? certificate : undefined, tools)',
        'scan.holdsBack ? certificate : undefined, { ...tools, isEmpty: scan.seen === 0 })',
      ),
    ],
  },
  {
    name: 'an older record over a newer row',
    mistake:
      'A record is written whatever its revision: an answer that was long on its way takes the place of a newer one.',
    patches: [
      reading(
        "if (note.revision < revision) return overlaps(state, reading) ? 'same' : 'older'",
        "if (note.revision < revision) return 'news'",
      ),
    ],
  },
  {
    name: 'a resurrecting event',
    mistake: 'An event about a note that was hidden or is gone shows it again, without a read.',
    patches: [
      hinting(
        'return { state: { ...marked, hintedRevision: highest(state.hintedRevision, hint.revision) } }',
        "return { state: { ...marked, presence: state.revision === null ? 'hidden' : 'live', hiddenBy: null, hintedRevision: highest(state.hintedRevision, hint.revision) } }",
      ),
    ],
  },
  {
    name: 'a checkpoint outside the transaction of its rows',
    mistake: 'The checkpoint of a page is written first, and then its notes: a crash between loses them.',
    patches: [
      listing(
        '    const start = this.#sequence\n',
        "    const start = this.#sequence\n    if (source !== 'scan') await this.advance(progressBehind({ live, unannounced: 0, heardAt: null }))\n",
      ),
    ],
  },
  {
    name: 'a transcript of another revision accepted',
    mistake: 'Content is written down whatever revision it has.',
    patches: [
      judgingContent(
        "if (status === 'gone' || revision > note.revision) return 'moved'",
        "if (status === 'gone') return 'moved'",
      ),
      judgingContent("return revision === note.revision ? 'settled' : 'unconfirmed'", "return 'settled'"),
    ],
  },
  {
    name: 'a 404 believed where the operation does not exist',
    mistake: 'A note that answers 404 is gone, whether or not any note can be read at all (open point 8).',
    patches: [
      {
        file: 'client/src/note-lookup.ts',
        find: "if (!hasCode(error, 'not_found') || this.#operation === 'offered') return false",
        replace: "if (this.#operation !== 'missing') return false",
      },
      lookingUp(
        'if (!client.notes.readsFromList && (await operationAnswers(noteId))) return undefined',
        'if (operationAnswers !== undefined) return undefined',
      ),
    ],
  },
  {
    name: 'the mark cleared after the read',
    mistake: 'A read clears the mark of an event that came while it was under way.',
    patches: [
      reading(
        'if (state.dirty === null || reading.start < state.dirty) return state',
        'if (state.dirty === null) return state',
      ),
    ],
  },
  {
    name: 'a revision gate before the hints',
    mistake: 'An event whose revision is not newer is dropped, also that of a note that comes back at its revision.',
    patches: [
      hinting(
        "if (state.presence === 'live' && !hasWork(state) && isNoNews(state, hint)) return",
        'if ((hint.revision ?? 0) <= (state.revision ?? -1)) return',
      ),
    ],
  },
  {
    name: 'deletions behind the revision gate',
    mistake: 'An event that a note is gone is dropped when its revision is not newer: losing access raises none.',
    patches: [
      hinting(
        "if (hint.kind === 'note.deleted') {",
        "if (hint.kind === 'note.deleted' && (hint.revision ?? 0) > (state.revision ?? -1)) {",
      ),
    ],
  },
  {
    name: 'statuses not looked at',
    mistake:
      'An event or a record at the same revision is no news, though a summary became ready at it (open point 20).',
    patches: [
      hinting(
        '    (transcriptStatus === null || transcriptStatus === state.transcriptStatus) &&\n    (summaryStatus === null || summaryStatus === state.summaryStatus)\n',
        '    transcriptStatus !== "x" && summaryStatus !== "x"\n',
      ),
      reading("  if (isSame) return 'same'\n", "  if (isSame || note.revision === revision) return 'same'\n"),
    ],
  },
  {
    name: 'evidence dated by its writing',
    mistake: 'A read counts as made when it is written down, and not when it was asked for.',
    patches: [
      listing(
        'const reading: Reading = { start, end, source, at: clock.now() }',
        'void start\n        const reading: Reading = { start: end, end, source, at: clock.now() }',
      ),
      refreshing(
        "const reading: Reading = { start, end, source: 'read', at: clock.now() }",
        "void start\n    const reading: Reading = { start: end, end, source: 'read', at: clock.now() }",
      ),
    ],
  },
  {
    name: 'the number of a scan taken after page one',
    mistake: 'What page one showed counts as seen before the scan.',
    patches: [
      scanning(
        'scan: { ...scan, seen: scan.seen + live, ',
        'scan: { ...scan, startedAt: scan.cursor === null ? lister.sequence + 1 : scan.startedAt, seen: scan.seen + live, ',
      ),
    ],
  },
  {
    name: 'a read from before the event shows the note',
    mistake: 'A note that an event has hidden is shown by a read that left before the event came.',
    patches: [
      reading(
        'if (state.hiddenBy !== null && reading.start < state.hiddenBy)',
        'if (state.hiddenBy !== null && reading.start < 0)',
      ),
    ],
  },
  {
    name: 'content written though the note is gone',
    mistake: 'A transcript that was under way when the note went is written down, and stays.',
    patches: [judgingContent("    state.presence === 'live' &&\n    state.revision", '    state.revision')],
  },
  {
    name: 'no look at who wrote meanwhile',
    mistake: 'A row is written by what was known when it was read, though somebody else has written it since.',
    patches: [
      memory(
        "if (notes.some(isOlder)) return 'conflict'",
        "if (notes.some(isOlder) && notes.length < 0) return 'conflict'",
      ),
    ],
  },
  {
    name: 'two listers unfenced',
    mistake: 'A lister that was replaced goes on writing where it was.',
    patches: [
      listing(
        "if (before.progressVersion !== this.#version) return 'fenced'",
        'this.#version = before.progressVersion',
      ),
    ],
  },
  {
    name: 'no limit to what a scan removes',
    mistake: 'However many notes are missing, they are removed without anybody being asked.',
    patches: [scanning('const LEAST_HELD = 50', 'const LEAST_HELD = 50_000')],
  },
  {
    name: 'another key taken for the same',
    mistake: 'A mirror goes on with any key, and removes what that one does not see.',
    patches: [
      listing('if (keyId !== null && keyId !== client.keyId)', 'if (keyId !== null && client.keyId === undefined)'),
    ],
  },
  {
    name: 'no position for a note that is restored',
    mistake: 'The feed does not tell of a note that comes back.',
    patches: [
      memory(
        'const position = announce === undefined ? row.position',
        "const position = announce === undefined || (announce === 'appeared' && row.firstVisible !== null) ? row.position",
      ),
    ],
  },
  {
    name: 'the kind of a change by where the loop began',
    mistake:
      'A loop over the feed that has told of a note does not tell that it vanished. It was in our own code until this simulator was written.',
    patches: [
      {
        file: 'mirror/src/feed/changes.ts',
        find: 'changeFor(note, { begin, known })',
        replace: 'changeFor(note, { begin, known: begin })',
      },
    ],
  },
  {
    name: 'not due though content is',
    mistake: 'A note that need not be read again is not due, though its transcript and summary still are.',
    patches: [
      scheduling(
        'dueAt: hasWork(state) ? (state.dueAt ?? now) : null',
        'dueAt: state.dirty !== null ? (state.dueAt ?? now) : null',
      ),
    ],
  },
  {
    name: 'content that no status tells of',
    mistake:
      'Content that was not there is never asked for again where its status does not change. It was in our own code until this simulator found it.',
    patches: [
      reading(
        "held === 'not_ready' && !saysAbsent(status)",
        "held === 'not_ready' && status === null && !saysAbsent(status)",
      ),
    ],
  },
]
