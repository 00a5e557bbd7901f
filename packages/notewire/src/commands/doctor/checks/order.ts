import { group, must } from '../check.ts'
import { bodyOf, type TestEvent, testId } from '../delivery.ts'
import { applies, ignores } from '../effect-case.ts'
import { comparesConcurrently, isUpdate, plays } from '../scenario.ts'
import { COMPARE_REVISIONS, DELETIONS, ORDER } from './requirements.ts'

export const orderChecks = group('Effects', [
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
  must('effect.precise-revisions', 'An event whose large revision is higher by one is applied', '§2, note', {
    fix: 'Store and compare revisions as 64-bit integers (BIGINT), not as floating-point numbers (FLOAT, REAL) or as text that was rounded: 16777217 is greater than 16777216.',
    requires: 'effect.large-revision',
    problem: 'rounds large revisions',
    run: plays((handled) =>
      handled.filter(isUpdate).flatMap(({ name, event }) =>
        [2 ** 24, 2 ** 52].map((revision) => {
          const note_id = testId('note')
          return {
            what: `${name}, revision ${revision + 1} after ${revision}`,
            before: [event({ note_id, revision })],
            countedEvent: event({ note_id, revision: revision + 1 }),
            expectedCount: 1,
          }
        }),
      ),
    ),
  }),
  must('effect.unknown-kind', 'An event of an unknown kind is not applied', 'open point 26', {
    fix: 'Answer 2xx in the default branch and change nothing. A kind that you do not know is not a deletion.',
    requires: 'effect.other-note',
    problem: 'applies an event of an unknown kind, for example as a deletion',
    run: ignores({ of: 'updates', after: [{ revision: 1 }], revision: 2, as: 'note.doctor_made_this_up' }),
  }),
  must(
    'effect.unknown-kind-revision',
    'An event is applied after one of an unknown kind with a higher revision',
    `${ORDER}; open point 26`,
    {
      fix: 'Store the revision of a note only when you apply an event. An event of an unknown kind changes nothing, not even the last applied revision.',
      requires: 'effect.unknown-kind',
      problem: 'ignores an event after one of an unknown kind with a higher revision',
      run: applies({
        of: 'updates',
        after: [{ revision: 1 }],
        revision: 5,
        deliveries: (event) => [
          ...['note.doctor_made_this_up', 'doctor.made_this_up'].map((kind) =>
            bodyOf({ ...another(event, { revision: 9 }), event_type: kind }),
          ),
          bodyOf(event),
        ],
      }),
    },
  ),
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
  must('effect.ignored-revision', 'An older event is not applied after one that was even older', ORDER, {
    fix: 'Store a revision only when you apply its event. Otherwise an ignored event lowers the last applied revision, and older events pass.',
    requires: 'effect.older-revision',
    problem: 'stores the revision of an event that it ignores as old, and then applies other old events',
    run: ignores({
      of: 'updates',
      after: [{ revision: 10 }],
      revision: 9,
      deliveries: (event) => [bodyOf(another(event, { revision: 3 })), bodyOf(event)],
    }),
  }),
  must('effect.regained-access', 'A newer event after a deletion is applied', `${ORDER}; open point 28`, {
    fix: 'After a deletion, apply events with a higher revision: a note that you can access again is the same note. Ignore only events with an equal or lower revision.',
    requires: 'effect.newer-revision',
    problem: 'ignores a newer event after a deletion, and so never shows a note again whose access is regained',
    run: applies({ of: 'updates', after: [{ revision: 3 }, { revision: 5, as: 'loss' }], revision: 6 }),
  }),
])

/** Another event about the same note. */
function another(event: TestEvent, data: TestEvent['data']): TestEvent {
  return { ...event, event_id: testId('event'), data: { ...event.data, ...data } }
}
