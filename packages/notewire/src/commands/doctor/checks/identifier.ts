import { group, must } from '../check.ts'
import { bodyOf, type TestEvent, testId } from '../delivery.ts'
import { isUpdate, plays, type Scenario } from '../scenario.ts'

export const identifierChecks = group('Effects', [
  must('effect.long-ids', 'An event is applied although another long ID differs only at the end', '§2, note', {
    fix: 'Store identifiers whole: in columns of type TEXT or VARCHAR(255), not in CHAR(36) or of type UUID. A database that cuts longer values takes different IDs for the same ID.',
    requires: 'effect.newer-revision',
    problem: 'takes long IDs with the same beginning for the same ID, or does not apply them',
    run: plays((handled) =>
      handled.filter(isUpdate).flatMap(({ name, event }) => {
        const [one, other] = twoLongIds(testId('note'))
        const [first, second] = twoLongIds(testId('event'))
        return [
          longIdCase(`${name}, note_id`, event({ note_id: one, revision: 9 }), event({ note_id: other, revision: 3 })),
          longIdCase(`${name}, event_id`, { ...event(), event_id: first }, { ...event(), event_id: second }),
        ]
      }),
    ),
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
])

/** Two IDs of 128 characters. */
function twoLongIds(id: string): readonly [string, string] {
  const beginning = `${id}_`.padEnd(127, 'x')
  return [`${beginning}a`, `${beginning}b`]
}

/** Both are sent without a look at the first, because a receiver may apply neither. */
function longIdCase(what: string, first: TestEvent, countedEvent: TestEvent): Scenario {
  return { what, deliveries: [bodyOf(first), bodyOf(countedEvent)], countedEvent, expectedCount: 1 }
}
