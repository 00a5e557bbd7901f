import { group, must } from '../check.ts'
import { type EventKind, KINDS, secondsFromNow, type TestEvent, testEvent, testId } from '../delivery.ts'
import { applies, appliesBothReasons, appliesEvents, bodyOf, isDeletion, type Scenario } from '../scenario.ts'
import { deletionOf, forged } from './forgery.ts'

const DUPLICATES = '§6, delivery semantics 1'
const ORDER = '§6, delivery semantics 2'
const DELETIONS = '§6, delivery semantics 3'
const RULE_6 = '§5, receiver rule 6'

const STORE_EVENT_IDS =
  'Store event_id under a unique key in the transaction that applies the event, for every kind of event, for more than 27 h. A list in memory is lost at a restart and is not shared between processes.'

const COMPARE_REVISIONS =
  'Store the last applied revision of each note as a number, and only write if the new one is higher (UPDATE … WHERE revision < $1).'

export const effectChecks = group('Effects', [
  must('effect.applied', appliesEvents, '§6, event kinds', {
    fix: 'Apply an event before you answer 2xx, or store it and apply it from there. The effects URL must list the event_id of each event that was applied.',
  }),
  must('effect.access-lost', appliesBothReasons, DELETIONS, {
    fix: 'Handle access_lost exactly like a deletion: remove or block the stored copy.',
    requires: 'effect.applied',
  }),
  must(
    'effect.other-note',
    applies('A low revision of another note is applied', 'keeps one revision for all notes', (handled) =>
      handled.map(({ name, event }) => {
        const counted = event({ revision: 1 })
        return { what: name, deliveries: [bodyOf(counted)], counted, times: 1 }
      }),
    ),
    ORDER,
    {
      fix: `${COMPARE_REVISIONS} Revisions of different notes are not related.`,
      requires: 'effect.applied',
    },
  ),
  must(
    'effect.once-one-after-another',
    applies('A repeated delivery is applied once', 'applies a repeated delivery again', (handled) =>
      handled.map(({ name, event }) => {
        const counted = event()
        const attempt = { ...bodyOf(counted), webhookId: testId('attempt') }
        return { what: name, deliveries: [attempt, attempt], counted, times: 1 }
      }),
    ),
    DUPLICATES,
    {
      fix: STORE_EVENT_IDS,
      requires: 'effect.other-note',
    },
  ),
  must(
    'effect.once-under-other-webhook-ids',
    applies(
      'An event repeated with another webhook-id is applied once',
      'applies an event again when it is replayed with another webhook-id',
      (handled) =>
        handled.map(({ name, event }) => {
          const counted = event()
          return {
            what: name,
            deliveries: [bodyOf(counted), { body: JSON.stringify(counted, null, 1) }],
            counted,
            times: 1,
          }
        }),
    ),
    `${DUPLICATES}; open point 19`,
    {
      fix: `Recognize duplicates by event_id, not by webhook-id or by the body: a replay has a new webhook-id. ${STORE_EVENT_IDS}`,
      requires: 'effect.other-note',
    },
  ),
  must(
    'effect.once-at-once',
    applies(
      'An event in five concurrent deliveries is applied once',
      'applies an event several times when its deliveries are concurrent',
      (handled) =>
        handled.map(({ name, event }) => {
          const counted = event()
          return {
            what: name,
            deliveries: Array.from({ length: 5 }, () => bodyOf(counted)),
            atOnce: true,
            counted,
            times: 1,
          }
        }),
    ),
    `${DUPLICATES}; ${ORDER}`,
    {
      fix: `Do not look up the ID first and store it later. Insert it first (ON CONFLICT DO NOTHING, SET NX), and apply the event only if that stored a row. ${STORE_EVENT_IDS}`,
      requires: 'effect.other-note',
    },
  ),
  must(
    'effect.older-revision',
    applies(
      'An event with a lower revision than the last applied one is not applied',
      'applies an event that is older than what it has applied',
      (handled) =>
        handled.map((kind) => {
          const note_id = testId('note')
          const first = (updatesIn(handled)[0] ?? kind).event({ note_id, revision: 10 })
          const counted = kind.event({ note_id, revision: 9 })
          return { what: kind.name, before: [first], deliveries: [bodyOf(counted)], counted, times: 0 }
        }),
    ),
    ORDER,
    {
      fix: COMPARE_REVISIONS,
      requires: 'effect.other-note',
    },
  ),
  must(
    'effect.newer-revision',
    applies(
      'An event with a higher revision than the last applied one is applied',
      'ignores an event that is newer than what it has applied',
      (handled) =>
        updatesIn(handled).map(({ name, event }) => {
          const note_id = testId('note')
          const counted = event({ note_id, revision: 10 })
          return {
            what: name,
            before: [event({ note_id, revision: 9 })],
            deliveries: [bodyOf(counted)],
            counted,
            times: 1,
          }
        }),
    ),
    ORDER,
    {
      fix: `${COMPARE_REVISIONS} Compared as text, "10" is less than "9". A note has many events.`,
      requires: 'effect.other-note',
    },
  ),
  must(
    'effect.equal-revision',
    applies(
      'Another event of the same kind with an equal revision is not applied',
      'applies an event whose revision it has already applied',
      (handled) =>
        updatesIn(handled).map(({ name, event }) => {
          const first = event({ revision: 5 })
          const counted = { ...first, event_id: testId('event') }
          return { what: name, before: [first], deliveries: [bodyOf(counted)], counted, times: 0 }
        }),
    ),
    ORDER,
    {
      fix: COMPARE_REVISIONS,
      requires: 'effect.older-revision',
    },
  ),
  must(
    'effect.deletion-at-equal-revision',
    applies(
      'A deletion with an equal revision is applied',
      'ignores a deletion whose revision is equal to the last applied one',
      (handled) =>
        handled.filter(isDeletion).flatMap((deletion) =>
          updatesIn(handled)
            .slice(0, 1)
            .map((update) => {
              const note_id = testId('note')
              const counted = deletion.event({ note_id, revision: 5 })
              return {
                what: deletion.name,
                before: [update.event({ note_id, revision: 5 })],
                deliveries: [bodyOf(counted)],
                counted,
                times: 1,
              }
            }),
        ),
    ),
    `${DELETIONS}; open points 20 and 32`,
    {
      fix: 'Apply a deletion whose revision is equal to the last applied one: losing access does not raise the revision, and you must not keep a note that you can no longer access.',
      requires: 'effect.other-note',
    },
  ),
  must(
    'effect.update-after-deletion',
    applies(
      'An older update after a deletion is not applied',
      'brings a deleted note back when a late update arrives',
      (handled) =>
        updatesIn(handled).flatMap((update) =>
          handled
            .filter(isDeletion)
            .slice(0, 1)
            .map((deletion) => {
              const note_id = testId('note')
              const counted = update.event({ note_id, revision: 4 })
              const before = [update.event({ note_id, revision: 3 }), deletion.event({ note_id, revision: 5 })]
              return { what: update.name, before, deliveries: [bodyOf(counted)], counted, times: 0 }
            }),
        ),
    ),
    ORDER,
    {
      fix: 'Keep the ID and the revision of a deleted note, so that a late event does not create the note again.',
      requires: 'effect.older-revision',
    },
  ),
  must(
    'effect.forged',
    applies('A forged delivery is not applied', 'applies forged deliveries', (handled) => [
      ...KINDS.flatMap(({ name, event }) => forgedAnew(name, event())),
      ...handled.flatMap(({ name, event }) => forgedAgain(name, event())),
    ]),
    RULE_6,
    {
      fix: 'Verify the signature and the timestamp before you do anything else.',
      requires: 'effect.applied',
    },
  ),
  must(
    'effect.after-forgery',
    applies(
      'A valid event is applied after forged ones with its IDs',
      'ignores a valid event after a forged one with its IDs',
      (handled) =>
        handled.map(({ name, event }) => {
          const counted = event()
          const webhookId = testId('attempt')
          const newer = { ...counted, data: { ...counted.data, revision: 999 } }
          return {
            what: name,
            deliveries: [...forged(name, newer, webhookId), { ...bodyOf(counted), webhookId }],
            counted,
            times: 1,
          }
        }),
    ),
    RULE_6,
    {
      fix: 'Store neither the ID nor the revision of a delivery that does not verify. Otherwise anyone can suppress events.',
      requires: 'effect.other-note',
    },
  ),
])

/** New events that must not be applied. */
function forgedAnew(what: string, counted: TestEvent): readonly Scenario[] {
  const late = testEvent(counted.event_type)
  return [
    { what, deliveries: forged(what, counted), counted, times: 0 },
    {
      what: `${what}, signed 400 s ago`,
      deliveries: [{ ...bodyOf(late), timestamp: secondsFromNow(-400) }],
      counted: late,
      times: 0,
    },
  ]
}

/** Forged deliveries that reuse the IDs of an applied event. */
function forgedAgain(what: string, first: TestEvent): readonly Scenario[] {
  const webhookId = testId('attempt')
  const deletion = deletionOf(first)
  const before = [first]
  return [
    {
      what: `${what} again`,
      webhookId,
      before,
      deliveries: [...forged(what, first), ...forged(what, { ...deletion, event_id: first.event_id }, webhookId)],
      counted: first,
      times: 1,
    },
    {
      what: `a deletion after ${what}`,
      webhookId,
      before,
      deliveries: forged(what, deletion, webhookId),
      counted: deletion,
      times: 0,
    },
  ]
}

function updatesIn(kinds: readonly EventKind[]): readonly EventKind[] {
  return kinds.filter((kind) => !isDeletion(kind))
}
