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
const confirming = patchOf('mirror/src/listing/confirmation.ts')
const listing = patchOf('mirror/src/listing/lister.ts')
const guarding = patchOf('mirror/src/listing/key-guard.ts')
const refreshing = patchOf('mirror/src/refreshing/refresher.ts')
const lookingUp = patchOf('mirror/src/service/note-reader.ts')
const scheduling = patchOf('mirror/src/rules/backoff.ts')
const memory = patchOf('mirror/src/stores/memory-store.ts')
const changing = patchOf('client/src/changes/note-changes.ts')
const watermark = patchOf('client/src/changes/watermark.ts')

/** What a listing did not show is removed without the read that confirms it. */
const withoutConfirmation = confirming(
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
        '  // An older read must not',
        "  if (state.presence === 'gone' && note.revision <= (state.revision ?? -1)) return { state: withEvidence(state, 'present', stamp) }\n  // An older read must not",
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
        'overlaps(state, stamp) && state.evidence?.says !== says',
        "says === 'present' && overlaps(state, stamp) && state.evidence?.says !== says",
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
        'overlaps(state, stamp) && state.evidence?.says !== says',
        "!(says === 'present' && (answer?.revision ?? 0) > (state.revision ?? -1)) && overlaps(state, stamp) && state.evidence?.says !== says",
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
        'if (!isExpiredCursor(error)) throw error',
        "if (!isExpiredCursor(error)) return await lister.advance(() => ({ scan: { ...requireScan(lister.progress), phase: 'listed' } }))",
      ),
      withoutConfirmation,
    ],
  },
  {
    name: 'an empty list taken for the truth',
    mistake: 'A listing without any note is believed without confirmation: there is nothing to read any more.',
    patches: [
      confirming(
        'const note = await readNote(noteId)\n',
        'const note = isEmpty ? undefined : await readNote(noteId)\n',
      ),
      confirming(
        '  { clock, keep, ledger, readNote }: SyncContext,',
        '  { clock, keep, ledger, readNote, isEmpty }: SyncContext & { readonly isEmpty?: boolean },',
      ),
      confirming(
        'yield* confirmByReads(lister, certificate, context)',
        'yield* confirmByReads(lister, certificate, { ...context, isEmpty: scan.seen === 0 } as SyncContext)',
      ),
    ],
  },
  {
    name: 'an older record over a newer row',
    mistake:
      'A record is written whatever its revision: an answer that was long on its way takes the place of a newer one.',
    patches: [
      reading(
        "if (note.revision < revision) return overlaps(state, stamp) && state.contradictedSince === null ? 'same' : 'older'",
        "if (note.revision < revision) return 'changed'",
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
        '    await this.#write(\n      (before, writes) => progressAfterPage',
        "    if (source !== 'scan') await this.advance(() => progressAfterPage(this.progress, page, { live: 0, unannounced: 0, heardAt: null }))\n    await this.#write(\n      (before, writes) => progressAfterPage",
      ),
    ],
  },
  {
    name: 'a transcript of another revision accepted',
    mistake: 'Content is written down whatever revision it has.',
    patches: [
      judgingContent(
        "if (status === 'gone' || status === 'content_not_found' || revision > note.revision) return 'outdated'",
        "if (status === 'gone' || status === 'content_not_found') return 'outdated'",
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
        'if (!client.notes.readsFromList && (await readsSingleNotes(noteId))) return undefined',
        'if (readsSingleNotes !== undefined) return undefined',
      ),
    ],
  },
  {
    name: 'the mark cleared after the read',
    mistake: 'A read clears the mark of an event that came while it was under way.',
    patches: [
      reading(
        'if (state.dirty === null || beganBeforeDirty(state, stamp)) return state',
        'if (state.dirty === null) return state',
      ),
    ],
  },
  {
    name: 'a revision gate before the hints',
    mistake: 'An event whose revision is not newer is dropped, also that of a note that comes back at its revision.',
    patches: [
      hinting(
        "if (state.presence === 'live' && !hasWork(state) && isAlreadyKnown(state, hint)) return",
        'if ((hint.revision ?? 0) <= (state.revision ?? -1)) return',
      ),
    ],
  },
  {
    name: 'deletions behind the revision gate',
    mistake: 'An event that a note is gone is dropped when its revision is not newer: losing access raises none.',
    patches: [
      hinting(
        "if (hint.kind === 'note.deleted') return",
        "if (hint.kind === 'note.deleted' && (hint.revision ?? 0) > (state.revision ?? -1)) return",
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
      reading("if (isSameRecord(state, note)) return 'same'", "if (note.revision === revision) return 'same'"),
    ],
  },
  {
    name: 'evidence dated by its writing',
    mistake: 'A read counts as made when it is written down, and not when it was asked for.',
    patches: [
      listing('{ ...asked, end, at: clock.now() }', '{ ...asked, start: end, end, at: clock.now() }'),
      refreshing(
        "{ ...asked, end, source: 'read', at: clock.now() }",
        "{ ...asked, start: end, end, source: 'read', at: clock.now() }",
      ),
    ],
  },
  {
    name: 'the number of a scan taken after page one',
    mistake: 'What page one showed counts as seen before the scan.',
    patches: [
      listing('    live: live.length,\n', '    live: live.length,\n    sequence: before.sequence,\n'),
      listing(
        'scan: { ...scan, ...counted, cursor,',
        'scan: { ...scan, ...counted, startedAt: scan.cursor === null ? counts.sequence : scan.startedAt, cursor,',
      ),
    ],
  },
  {
    name: 'a read from before the event shows the note',
    mistake: 'A note that an event has hidden is shown by a read that left before the event came.',
    patches: [
      reading(
        'if (state.hiddenBy !== null && stamp.start < state.hiddenBy)',
        'if (state.hiddenBy !== null && stamp.start < 0)',
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
        'if (before.progressVersion !== this.#version) throw new AnotherListerError()',
        'this.#version = before.progressVersion',
      ),
    ],
  },
  {
    name: 'no limit to what a scan removes',
    mistake: 'However many notes are missing, they are removed without anybody being asked.',
    patches: [scanning('return isEveryNote || missing > Math.max', 'return isEveryNote && missing < 0 * Math.max')],
  },
  {
    name: 'another key taken for the same',
    mistake: 'A mirror goes on with any key, and removes what that one does not see.',
    patches: [
      guarding(
        'if (recorded === null || !isSameKey(recorded, given)) throw',
        'if (recorded === null || (isSameKey(recorded, given) && integration === undefined)) throw',
      ),
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
        file: 'mirror/src/reader/changes.ts',
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
        "held === 'not_ready' && !meansAbsent(status)",
        "held === 'not_ready' && status === null && !meansAbsent(status)",
      ),
    ],
  },
]
