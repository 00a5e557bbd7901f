import type { StoreName } from '../simulation/history.ts'
import { type Patch, patchOf } from '../simulation/patch.ts'

/** A mistake that the simulator must find: today's published code, but for a few lines. */
export interface PlantedBug {
  readonly name: string
  /** What is wrong, for the page of the proof. */
  readonly mistake: string
  /** @default 'memory' */
  readonly store?: StoreName
  /** A history of the seed of the proof that shows it, if few do. */
  readonly history?: number
  readonly patches: readonly Patch[]
}

const reading = patchOf('mirror/src/rules/read-rule.ts')
const comparing = patchOf('mirror/src/rules/record-rule.ts')
const clearing = patchOf('mirror/src/rules/contradiction.ts')
const dating = patchOf('mirror/src/rules/evidence.ts')
const hinting = patchOf('mirror/src/rules/hint-rule.ts')
const judgingContent = patchOf('mirror/src/rules/content-rule.ts')
const scanning = patchOf('mirror/src/listing/full-listing.ts')
const listing = patchOf('mirror/src/listing/apply-page.ts')
const judging = patchOf('mirror/src/service/failures.ts')
const advancing = patchOf('mirror/src/rules/listing-rule.ts')
const committing = patchOf('mirror/src/ledger/ledger.ts')
const guarding = patchOf('mirror/src/listing/key-guard.ts')
const fetching = patchOf('mirror/src/fetching/fetch-note.ts')
const lookingUp = patchOf('client/src/note-lookup.ts')
const scheduling = patchOf('mirror/src/rules/backoff.ts')
const handingOut = patchOf('mirror/src/fetching/due-queue.ts')
const readingCopy = patchOf('mirror/src/reader/mirror-reader.ts')
const memory = patchOf('mirror/fixtures/memory-mirror/integration-in-memory.ts')
const changing = patchOf('client/src/changes/note-changes.ts')

const MARK_MISSING = '        markMissing(state, certificate, { holdingFullListing, sequence, at: clock.now() }),\n'
const REMOVE_MISSING =
  "applyRead({ ...state, heldByFullListing: state.presence === 'live' ? (holdingFullListing ?? null) : state.heldByFullListing }, undefined, { start: copy.sequence, end: sequence, source: 'read', requestedAt: clock.now(), at: clock.now() }, { keep: context.keep })"

const MARKING = "import { markMissing } from '../rules/absence-rule.ts'\n"
const importingReads = scanning(MARKING, `${MARKING}import { applyRead } from '../rules/read-rule.ts'\n`)

/** What a listing did not show is removed without the read that confirms it. */
const withoutConfirmation = [importingReads, scanning(MARK_MISSING, `${REMOVE_MISSING},\n`)]

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'tombstones that only a higher revision ends',
    mistake:
      'A removed note is shown again only at a higher revision. A note that becomes visible again at the same revision stays removed.',
    patches: [
      reading(
        '  // An older read must not',
        "  if (state.presence === 'gone' && note.revision <= (state.revision ?? -1)) return { state: withEvidence(state, 'present', stamp) }\n  // An older read must not",
      ),
    ],
  },
  {
    name: 'removal of every note that a full listing did not list',
    mistake:
      'A full listing removes every stored note that it did not list, even if the note was read or stored meanwhile.',
    patches: [
      ...withoutConfirmation,
      memory(
        '(evidence?.start ?? 0) < query.missing.startSequence',
        '(evidence?.source !== "full-listing" || evidence.start < query.missing.startSequence)',
      ),
      reading(
        'overlaps(state, stamp) && state.evidence?.says !== says',
        "says === 'present' && overlaps(state, stamp) && state.evidence?.says !== says",
      ),
    ],
  },
  {
    name: 'a 404 from before the event',
    mistake: 'A read that was sent before an event arrived, and that did not find the note, removes it.',
    history: 17307,
    patches: [reading('heard !== null && start < heard.sequence', 'false')],
  },
  {
    name: 'missing notes removed without a read',
    mistake: 'A note that a complete listing did not show is removed without a confirming read.',
    patches: withoutConfirmation,
  },
  {
    name: 'a higher revision beats a tombstone',
    history: 3149,
    mistake:
      'A record with a higher revision shows a removed note again, even if its request was sent before the removal.',
    patches: [
      reading(
        'overlaps(state, stamp) && state.evidence?.says !== says',
        "!(says === 'present' && (answer?.revision ?? 0) > (state.revision ?? -1)) && overlaps(state, stamp) && state.evidence?.says !== says",
      ),
    ],
  },
  {
    name: 'overlapping reads not compared',
    mistake: 'Of two overlapping reads that contradict each other, the one that is processed last wins.',
    patches: [
      dating(
        'return evidence !== null && start < evidence.end',
        'return evidence !== null && start < evidence.end && start < 0',
      ),
    ],
  },
  {
    name: 'strict > at equal timestamps',
    mistake:
      'A poll lists only notes that are newer than the previous poll, without an overlap. A change within the same second is never listed.',
    patches: [changing('const OVERLAP_MS = 5 * 60_000', 'const OVERLAP_MS = 0')],
  },
  {
    name: 'watermark after the backfill',
    history: 1381,
    mistake:
      'The watermark is taken from the last page. A change on an earlier page during the listing is never listed.',
    patches: [
      changing(
        'const until = progress.underWay === undefined ? watermarkOf(page, progress.since, now) : progress.underWay.until',
        'const until = watermarkOf(page, progress.since, now)',
      ),
    ],
  },
  {
    name: 'watermark from the local clock',
    mistake: 'The watermark is the time of the local clock, which is wrong.',
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
    name: 'deletion from a partial full listing',
    mistake: 'An interrupted listing counts as complete, and notes that it did not show are removed.',
    patches: [
      scanning(
        'if (listed.error !== undefined) return listed',
        "if (listed.error !== undefined) listed.copy = await writeProgress(listed.copy, context, () => ({ fullListing: { ...requireFullListing(listed.copy.progress), phase: 'listed' } }))",
      ),
      ...withoutConfirmation,
    ],
  },
  {
    name: 'a forgotten cursor requested for ever',
    mistake: 'A cursor that the service has forgotten is requested again and again, so that the listing never ends.',
    patches: [judging("return 'unknown'", 'return undefined')],
  },
  {
    name: 'an empty list accepted',
    mistake: 'A listing without notes removes all notes without confirmation.',
    patches: [
      importingReads,
      scanning(MARK_MISSING, `fullListing.seen === 0 ? ${REMOVE_MISSING} : ${MARK_MISSING.trim()}\n`),
    ],
  },
  {
    name: 'an older record over a newer row',
    mistake: 'A record is stored whatever its revision. A late response replaces a newer record.',
    patches: [
      comparing(
        "if (note.revision < revision) return overlaps(state, stamp) && state.contradictedSince === null ? same : 'older'",
        "if (note.revision < revision) return 'changed'",
      ),
    ],
  },
  {
    name: 'an event that shows a removed note',
    mistake: 'An event about a hidden or removed note shows it again without a read.',
    patches: [
      hinting(
        'return { state: { ...marked, hintedRevision: highest(state.hintedRevision, hint.revision) } }',
        "return { state: { ...marked, presence: state.revision === null ? 'hidden' : 'live', hiddenSequence: null, hintedRevision: highest(state.hintedRevision, hint.revision) } }",
      ),
    ],
  },
  {
    name: 'a checkpoint outside the transaction of its rows',
    mistake: 'The checkpoint of a page is committed before its notes. A crash between the commits loses the notes.',
    patches: [
      listing(
        '  let applied: AppliedParts = { copy,',
        "  if ('checkpoint' in page) copy = { ...(await context.ledger.commit({ noteIds: [], decide: ({ progress }) => ({ progress: { ...progress, poll: { ...progress.poll, checkpoint: page.checkpoint, isUnderWay: true } } }) })).copy, committedAt: copy.committedAt }\n  let applied: AppliedParts = { copy,",
      ),
    ],
  },
  {
    name: 'content of another revision accepted',
    mistake: 'Content is stored whatever its revision.',
    patches: [
      judgingContent(
        "if (status === 'gone' || status === 'content_not_found' || revision > note.revision) return 'outdated'",
        "if (status === 'gone' || status === 'content_not_found') return 'outdated'",
      ),
      judgingContent("return revision === note.revision ? 'settled' : 'unconfirmed'", "return 'settled'"),
    ],
  },
  {
    name: 'a 404 accepted from a service without the operation',
    mistake:
      'A note whose read is answered 404 is removed, even if the service cannot read single notes (open point 8).',
    patches: [lookingUp('? await this.#canReadListedNote(options, options.signal)', '? options !== undefined')],
  },
  {
    name: 'a read that began before the event',
    mistake: 'A read that was in progress when an event arrived counts as the read that the event requires.',
    patches: [
      clearing(
        'if (state.readAfterSequence === null || beganTooEarly(state, stamp)) return state',
        'if (state.readAfterSequence === null) return state',
      ),
    ],
  },
  {
    name: 'a listed record that does not show its note ignored',
    mistake:
      "A listing of a hidden note that does not show the note yet is not recorded. An older read that did not find the note then settles its absence. This bug was in the mirror's own code.",
    patches: [
      reading(
        'return { state: { ...unshown, readAfterSequence: Math.max(unshown.readAfterSequence ?? 0, stamp.end) } }',
        'return { state: unshown }',
      ),
    ],
  },
  {
    name: 'a read from before a full listing shows the note',
    mistake:
      "A read that was sent before a full listing began, and that is answered after the full listing, shows a hidden note that the full listing did not list. The simulator found this bug in the mirror's own code.",
    history: 23657,
    patches: [
      dating(
        'fullListingStartSequence !== undefined && start < fullListingStartSequence',
        'fullListingStartSequence !== undefined && start < 0',
      ),
    ],
  },
  {
    name: 'a revision gate before the hints',
    mistake:
      'An event whose revision is not newer is dropped, even if the note became visible again at its old revision.',
    patches: [
      hinting(
        "if (state.presence === 'live' && !hasWork(state) && isAlreadyKnown(state, hint)) return",
        'if ((hint.revision ?? 0) <= (state.revision ?? -1)) return',
      ),
    ],
  },
  {
    name: 'a revision gate for deletions',
    mistake:
      'A deletion event whose revision is not newer is dropped, although losing access does not increase the revision.',
    patches: [
      hinting(
        "if (hint.kind === 'note.deleted') return",
        "if (hint.kind === 'note.deleted' && (hint.revision ?? 0) > (state.revision ?? -1)) return",
      ),
    ],
  },
  {
    name: 'statuses ignored',
    mistake: 'An event or a record at the same revision is ignored, although a summary became ready (open point 20).',
    patches: [
      hinting(
        '    (transcriptStatus === null || transcriptStatus === state.transcriptStatus) &&\n    (summaryStatus === null || summaryStatus === state.summaryStatus)\n',
        '    transcriptStatus !== "x" && summaryStatus !== "x"\n',
      ),
      comparing('if (isSameRecord(state, note)) return same', 'if (note.revision === revision) return same'),
    ],
  },
  {
    name: 'a read dated by its commit',
    mistake: 'A read gets the time of its commit instead of the time of its request.',
    patches: [
      advancing(
        'fullListingBeganAt, end: before.sequence, at }',
        'fullListingBeganAt, start: before.sequence, end: before.sequence, at }',
      ),
      fetching(
        "{ ...request, end, source: 'read', at: clock.now(), fullListingStartSequence }",
        "{ ...request, start: end, end, source: 'read', at: clock.now(), fullListingStartSequence }",
      ),
    ],
  },
  {
    name: 'the number of a full listing taken after page one',
    mistake:
      'The sequence number of a full listing is taken after its first page, so the notes of that page count as seen before the full listing.',
    patches: [
      advancing(
        'fullListing: { ...counted, cursor,',
        'fullListing: { ...counted, startSequence: fullListing.cursor === null ? before.sequence : fullListing.startSequence, cursor,',
      ),
    ],
  },
  {
    name: 'a read from before the event shows the note',
    mistake: 'A read that was sent before a deletion event arrived shows the hidden note again.',
    patches: [
      reading(
        'if (state.hiddenSequence !== null && stamp.start < state.hiddenSequence)',
        'if (state.hiddenSequence !== null && stamp.start < 0)',
      ),
    ],
  },
  {
    name: 'content stored for a removed note',
    mistake:
      'A transcript whose fetch was in progress when the note was removed is stored and stays: neither the presence of the note nor a later read is compared.',
    patches: [
      judgingContent("    state.presence === 'live' &&\n    state.revision", '    state.revision'),
      judgingContent('state.evidence?.end !== asOf', 'false'),
    ],
  },
  {
    name: 'concurrent writes not detected',
    mistake: 'A row is written from the state that was read, although another process has written it since.',
    patches: [
      memory(
        "if (notes.some(isOlder)) return 'conflict'",
        "if (notes.some(isOlder) && notes.length < 0) return 'conflict'",
      ),
    ],
  },
  {
    name: 'no fencing of listers',
    mistake: 'A worker that has lost its lease continues to write the progress of its listing.',
    patches: [committing('fence: { generation, token } }', 'fence: { generation, token: token && undefined } }')],
  },
  {
    name: 'no limit on the removals of a full listing',
    mistake: 'A full listing removes any number of missing notes without holding the removals.',
    patches: [scanning('return isEveryNote || missing > Math.max', 'return isEveryNote && missing < 0 * Math.max')],
  },
  {
    name: 'another key recorded after a listing',
    mistake: 'A worker with the lease records its key in place of the key with which the notes were listed.',
    patches: [
      guarding(
        '  if (await hasListedNotes(store, integration, copy.progress)) return await requireKey(context, copy)\n',
        '',
      ),
    ],
  },
  {
    name: 'another key accepted',
    mistake: 'A mirror continues with another key, and removes the notes that this key cannot see.',
    patches: [
      guarding(
        'if (!isSameKey(current.progress.key, key)) throw',
        'if (current.progress.key === null || (isSameKey(current.progress.key, key) && integration === undefined)) throw',
      ),
    ],
  },
  {
    name: 'no change for a note that becomes visible again',
    mistake: 'The change feed does not contain a note that becomes visible again.',
    patches: [
      memory(
        'const position = announce === undefined ? row.position',
        "const position = announce === undefined || (announce === 'appeared' && row.firstVisiblePosition !== null) ? row.position",
      ),
    ],
  },
  {
    name: 'a removal missing from a loop over the feed',
    mistake:
      "A loop over the change feed does not report the removal of a note that it has reported. The simulator found this bug in the mirror's own code.",
    patches: [
      {
        file: 'mirror/src/reader/changes.ts',
        find: 'changeFor(note, { begin, known })',
        replace: 'changeFor(note, { begin, known: begin })',
      },
    ],
  },
  {
    name: 'a position without its run',
    mistake:
      "The change feed accepts a position of a later life of a copy that was restored from a backup, and skips what comes next. This bug was in the mirror's own code.",
    patches: [
      {
        file: 'mirror/src/reader/positions.ts',
        find: 'if (number === 0 || (feed.runEnd !== null && number <= feed.runEnd)',
        replace: 'if (number >= 0 || (feed.runEnd !== null && number <= feed.runEnd)',
      },
    ],
  },
  {
    name: 'records that cannot be used taken for deletions',
    mistake:
      'A listing that contains a record without a usable identifier or revision removes the note of that record.',
    patches: [
      scanning("phase: 'full-listing', notes, leftOut, cursor", "phase: 'full-listing', notes, leftOut: [], cursor"),
      lookingUp('unusable.get(noteId) ?? unidentified', 'undefined'),
    ],
  },
  {
    name: 'a note not due while its content is',
    mistake: 'A note whose record is current is not due, although its transcript and summary still are.',
    patches: [
      scheduling(
        'dueAt: hasWork(state) ? (state.dueAt ?? now) : null',
        'dueAt: state.readAfterSequence !== null ? (state.dueAt ?? now) : null',
      ),
    ],
  },
  {
    name: 'a note that is handed out twice',
    mistake:
      'The queue of due notes does not remember which notes it has handed out, so that several tasks fetch the same note at the same time.',
    patches: [
      handingOut('except: [...this.#handedOut]', 'except: []'),
      handingOut('!this.#handedOut.has(state.noteId)', 'state.noteId !== undefined'),
    ],
  },
  {
    name: 'due notes without those that an event named',
    mistake: 'The read of due notes leaves out the notes that must be read again.',
    patches: [
      memory(
        'dueAt !== null && !except.includes(noteId)',
        'dueAt !== null && !except.includes(noteId) && this.#rows.get(noteId)?.state.readAfterSequence === null',
      ),
    ],
  },
  {
    name: 'the number of a request from before the hints',
    mistake: 'The sequence number of the requests for due notes is that of the first hint, not that of the latest.',
    patches: [memory('sequence: this.#sequence, notes: due', 'sequence: Math.min(1, this.#sequence), notes: due')],
  },
  {
    name: 'the number of a request from after later hints',
    mistake: 'The sequence number of the requests for due notes is that of hints that arrive after them.',
    patches: [memory('sequence: this.#sequence, notes: due', 'sequence: this.#sequence + 1, notes: due')],
  },
  {
    name: 'failed requests that use up the patience',
    mistake:
      "Failed requests count as answers, so that a note whose content is not found after an outage settles without content. This bug was in the mirror's own code.",
    patches: [
      scheduling(
        'scheduled({ ...state, failures, dueAt }, now)',
        'scheduled({ ...state, failures, attempts: failures, dueAt }, now)',
      ),
      fetching(
        'if (await hasChanged(read, context)) return undefined',
        'if (isUnconfirmed && (await hasChanged(read, context))) return undefined',
      ),
    ],
  },
  {
    name: 'content without a status not fetched again',
    mistake:
      "Missing content is not fetched again if its status does not change. The simulator found this bug in the mirror's own code.",
    history: 1295,
    patches: [comparing("held === 'not_ready' && !meansAbsent(status)", 'false')],
  },
  {
    name: 'a copy that is listed for ever',
    mistake: 'The list of the mirror begins again after each page, so that it never ends.',
    patches: [readingCopy('      after = last.state.noteId\n', '')],
  },
]
