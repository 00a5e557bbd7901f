import { group, must } from '../check.ts'
import { bodyOf, type EventKind, KINDS, secondsFromNow, type TestEvent, testEvent, testId } from '../delivery.ts'
import { applies, creationOf, ignores } from '../effect-case.ts'
import { appliesBothReasons, appliesEvents, comparesConcurrently, isUpdate, plays, type Scenario } from '../scenario.ts'
import { forged } from './forgery.ts'

const DUPLICATES = '§6, delivery semantics 1'
const ORDER = '§6, delivery semantics 2'
const DELETIONS = '§6, delivery semantics 3'
const RULE_6 = '§5, receiver rule 6'

const STORE_EVENT_IDS =
  'Store event_id under a unique key in the transaction that applies the event, for every kind of event, for more than 27 h. A list in memory is lost at a restart and is not shared between processes.'

const COMPARE_REVISIONS =
  'Store the last applied revision of each note as a number, and only write if the new one is higher (UPDATE … WHERE revision < $1).'

export const effectChecks = group('Effects', [
  must('effect.applied', 'A valid event is applied', '§6, event kinds', {
    fix: 'Apply an event before you answer 2xx, or store it and apply it from there. The effects URL must list the event_id of each event that was applied.',
    problem: 'accepts valid events and applies none',
    run: appliesEvents,
  }),
  must('effect.access-lost', 'A deletion is applied for either reason', DELETIONS, {
    fix: 'Handle access_lost exactly like a deletion: remove or block the stored copy.',
    requires: 'effect.applied',
    problem: 'applies deletions with one reason only',
    run: appliesBothReasons,
  }),
  must('effect.other-note', 'A low revision of another note is applied', ORDER, {
    fix: `${COMPARE_REVISIONS} Revisions of different notes are not related.`,
    requires: 'effect.applied',
    problem: 'keeps one revision for all notes',
    run: applies({}),
  }),
  must('effect.once-one-after-another', 'A repeated delivery is applied once', DUPLICATES, {
    fix: STORE_EVENT_IDS,
    requires: 'effect.other-note',
    problem: 'applies a repeated delivery again',
    run: applies({
      deliveries: (event) => {
        const attempt = { ...bodyOf(event), webhookId: testId('attempt') }
        return [attempt, attempt]
      },
    }),
  }),
  must(
    'effect.once-under-other-webhook-ids',
    'An event repeated with another webhook-id is applied once',
    `${DUPLICATES}; open point 19`,
    {
      fix: `Recognize duplicates by event_id, not by webhook-id or by the body: a replay has a new webhook-id. ${STORE_EVENT_IDS}`,
      requires: 'effect.other-note',
      problem: 'applies an event again when it is replayed with another webhook-id',
      run: applies({ deliveries: (event) => [bodyOf(event), { body: JSON.stringify(event, null, 1) }] }),
    },
  ),
  must('effect.once-at-once', 'An event in five concurrent deliveries is applied once', `${DUPLICATES}; ${ORDER}`, {
    fix: `Do not look up the ID first and store it later. Insert it first (ON CONFLICT DO NOTHING, SET NX), and apply the event only if that stored a row. ${STORE_EVENT_IDS}`,
    requires: 'effect.other-note',
    problem: 'applies an event several times when its deliveries are concurrent',
    run: applies({ deliveries: (event) => Array.from({ length: 5 }, () => bodyOf(event)), atOnce: true }),
  }),
  must('effect.older-revision', 'An event with a lower revision than the last applied one is not applied', ORDER, {
    fix: COMPARE_REVISIONS,
    requires: 'effect.other-note',
    problem: 'applies an event that is older than what it has applied',
    run: ignores({ after: [{ revision: 10 }], revision: 9 }),
  }),
  must('effect.newer-revision', 'An event with a higher revision than the last applied one is applied', ORDER, {
    fix: `${COMPARE_REVISIONS} Compared as text, "10" is less than "9". A note has many events.`,
    requires: 'effect.other-note',
    problem: 'ignores an event that is newer than what it has applied',
    run: applies({ of: 'updates', after: [{ revision: 9 }], revision: 10 }),
  }),
  must('effect.skipped-revision', 'An event is applied although a revision before it was skipped', ORDER, {
    fix: 'Apply every event with a higher revision, not only the next one: the service sends one event for several quick edits, so revisions are skipped for good.',
    requires: 'effect.newer-revision',
    problem: 'applies only the next revision of a note, and so loses updates for good',
    run: applies({ of: 'updates', after: [{ revision: 3 }], revision: 6 }),
  }),
  must('effect.large-revision', 'An event with a revision above 2^31 is applied', '§2, note; open point 3', {
    fix: 'Store revisions as 64-bit integers (BIGINT).',
    requires: 'effect.newer-revision',
    problem: 'ignores an event with a revision above 2^31',
    run: applies({ of: 'updates', after: [{ revision: 3 }], revision: 2 ** 31 + 5 }),
  }),
  must('effect.id-case', 'An event is applied although another ID differs only in case', '§2, note', {
    fix: 'Compare identifiers byte by byte. In MySQL and SQL Server, give their columns a binary or case-sensitive collation (utf8mb4_bin).',
    requires: 'effect.newer-revision',
    problem: 'takes IDs that differ only in case for the same ID',
    run: plays((handled) =>
      handled.filter(isUpdate).flatMap(({ name, event }) => {
        const [note_id, event_id] = [`${testId('note')}_a`, `${testId('event')}_a`]
        return [
          {
            what: `${name}, note_id`,
            before: [event({ note_id: note_id.replace(/a$/, 'A'), revision: 9 })],
            countedEvent: event({ note_id, revision: 3 }),
            expectedCount: 1,
          },
          {
            what: `${name}, event_id`,
            before: [{ ...event(), event_id: event_id.replace(/a$/, 'A') }],
            countedEvent: { ...event(), event_id },
            expectedCount: 1,
          },
        ]
      }),
    ),
  }),
  must('effect.unknown-kind', 'An event of an unknown kind is not applied', 'open point 26', {
    fix: 'Answer 2xx in the default branch and change nothing. A kind that you do not know is not a deletion.',
    requires: 'effect.other-note',
    problem: 'applies an event of an unknown kind, for example as a deletion',
    run: ignores({ of: 'updates', after: [{ revision: 1 }], revision: 2, as: 'note.doctor_made_this_up' }),
  }),
  must('effect.concurrent-revisions', 'A lower revision is not applied after a concurrent higher one', ORDER, {
    fix: 'Lock the note while you compare and store its revision: one UPDATE … WHERE revision < $1, or SELECT … FOR UPDATE, in the transaction that applies the event. A unique event_id does not lock the note.',
    requires: 'effect.older-revision',
    problem: 'applies a lower revision after a higher one when both are delivered at once',
    run: comparesConcurrently,
  }),
  must('effect.equal-revision', 'Another event of the same kind with an equal revision is not applied', ORDER, {
    fix: COMPARE_REVISIONS,
    requires: 'effect.older-revision',
    problem: 'applies an event whose revision it has already applied',
    run: ignores({ of: 'updates', after: [{ revision: 5, as: 'copy' }], revision: 5 }),
  }),
  must(
    'effect.deletion-at-equal-revision',
    'A deletion with an equal revision is applied',
    `${DELETIONS}; open points 20 and 32`,
    {
      fix: 'Apply a deletion whose revision is equal to the last applied one: losing access does not raise the revision, and you must not keep a note that you can no longer access.',
      requires: 'effect.other-note',
      problem: 'ignores a deletion whose revision is equal to the last applied one',
      run: applies({ of: 'deletions', after: [{ revision: 5 }], revision: 5 }),
    },
  ),
  must('effect.update-after-deletion', 'An older update after a deletion is not applied', ORDER, {
    fix: 'Keep the ID and the revision of a deleted note, so that a late event does not create the note again.',
    requires: 'effect.older-revision',
    problem: 'brings a deleted note back when a late update arrives',
    run: ignores({ of: 'updates', after: [{ revision: 3 }, { revision: 5, as: 'deletion' }], revision: 4 }),
  }),
  must('effect.forged', 'A forged delivery is not applied', RULE_6, {
    fix: 'Verify the signature and the timestamp before you do anything else.',
    requires: 'effect.applied',
    problem: 'applies forged deliveries',
    run: plays((handled) => [
      ...KINDS.flatMap(({ name, event }) => forgedAnew(name, event(), event())),
      ...handled.flatMap((kind) => forgedAgain(kind, kind.event(), handled)),
    ]),
  }),
  must('effect.after-forgery', 'A valid event is applied after forged ones with its IDs', RULE_6, {
    fix: 'Store neither the ID nor the revision of a delivery that does not verify. Otherwise anyone can suppress events.',
    requires: 'effect.other-note',
    problem: 'ignores a valid event after a forged one with its IDs',
    run: applies({
      deliveries: (event) => {
        const webhookId = testId('attempt')
        const newer = { ...event, data: { ...event.data, revision: 999 } }
        return [...forged('', newer, webhookId), { ...bodyOf(event), webhookId }]
      },
    }),
  }),
])

/** New events that must not be applied. */
function forgedAnew(what: string, countedEvent: TestEvent, late: TestEvent): readonly Scenario[] {
  const lately = { ...bodyOf(late), timestamp: secondsFromNow(-400) }
  return [
    { what, deliveries: forged(what, countedEvent), countedEvent, expectedCount: 0 },
    { what: `${what}, signed 400 s ago`, deliveries: [lately], countedEvent: late, expectedCount: 0 },
  ]
}

/** Forged deliveries that reuse the IDs of an applied event. */
function forgedAgain(kind: EventKind, first: TestEvent, handled: readonly EventKind[]): readonly Scenario[] {
  const what = kind.name
  const { event_id, data } = first
  const webhookId = testId('attempt')
  const deletion = testEvent('note.deleted', { note_id: data['note_id'] })
  const again = [...forged(what, first), ...forged(what, { ...deletion, event_id }, webhookId)]
  return [
    {
      what: `${what} again`,
      webhookId,
      before: [...creationOf(kind, first, handled), first],
      deliveries: again,
      countedEvent: first,
      expectedCount: 1,
    },
    // The deliveries of all scenarios are sent in turns, so the event was applied before.
    {
      what: `a deletion after ${what}`,
      deliveries: forged(what, deletion, webhookId),
      countedEvent: deletion,
      expectedCount: 0,
    },
  ]
}
