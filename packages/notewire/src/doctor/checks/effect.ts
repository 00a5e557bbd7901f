import { group, must, type RunCheck } from '../check.ts'
import { bodyOf, type EventKind, KINDS, secondsFromNow, type TestEvent, testEvent, testId } from '../delivery.ts'
import { applies, appliesBothReasons, appliesEvents, isDeletion, type Scenario } from '../scenario.ts'
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
    run: appliesEach(({ event }) => ({ countedEvent: event(), expectedCount: 1 })),
  }),
  must('effect.once-one-after-another', 'A repeated delivery is applied once', DUPLICATES, {
    fix: STORE_EVENT_IDS,
    requires: 'effect.other-note',
    problem: 'applies a repeated delivery again',
    run: appliesEach(({ event }) => {
      const countedEvent = event()
      const attempt = { ...bodyOf(countedEvent), webhookId: testId('attempt') }
      return { deliveries: [attempt, attempt], countedEvent, expectedCount: 1 }
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
      run: appliesEach(({ event }) => {
        const countedEvent = event()
        return {
          deliveries: [bodyOf(countedEvent), { body: JSON.stringify(countedEvent, null, 1) }],
          countedEvent,
          expectedCount: 1,
        }
      }),
    },
  ),
  must('effect.once-at-once', 'An event in five concurrent deliveries is applied once', `${DUPLICATES}; ${ORDER}`, {
    fix: `Do not look up the ID first and store it later. Insert it first (ON CONFLICT DO NOTHING, SET NX), and apply the event only if that stored a row. ${STORE_EVENT_IDS}`,
    requires: 'effect.other-note',
    problem: 'applies an event several times when its deliveries are concurrent',
    run: appliesEach(({ event }) => {
      const countedEvent = event()
      return {
        deliveries: Array.from({ length: 5 }, () => bodyOf(countedEvent)),
        atOnce: true,
        countedEvent,
        expectedCount: 1,
      }
    }),
  }),
  must('effect.older-revision', 'An event with a lower revision than the last applied one is not applied', ORDER, {
    fix: COMPARE_REVISIONS,
    requires: 'effect.other-note',
    problem: 'applies an event that is older than what it has applied',
    run: appliesEach((kind, handled) => {
      const note_id = testId('note')
      const first = handled.find(isUpdate) ?? kind
      const countedEvent = kind.event({ note_id, revision: 9 })
      return { before: [first.event({ note_id, revision: 10 })], countedEvent, expectedCount: 0 }
    }),
  }),
  must('effect.newer-revision', 'An event with a higher revision than the last applied one is applied', ORDER, {
    fix: `${COMPARE_REVISIONS} Compared as text, "10" is less than "9". A note has many events.`,
    requires: 'effect.other-note',
    problem: 'ignores an event that is newer than what it has applied',
    run: appliesEach(({ event }) => {
      const note_id = testId('note')
      return {
        before: [event({ note_id, revision: 9 })],
        countedEvent: event({ note_id, revision: 10 }),
        expectedCount: 1,
      }
    }, isUpdate),
  }),
  must('effect.equal-revision', 'Another event of the same kind with an equal revision is not applied', ORDER, {
    fix: COMPARE_REVISIONS,
    requires: 'effect.older-revision',
    problem: 'applies an event whose revision it has already applied',
    run: appliesEach(({ event }) => {
      const first = event({ revision: 5 })
      return { before: [first], countedEvent: { ...first, event_id: testId('event') }, expectedCount: 0 }
    }, isUpdate),
  }),
  must(
    'effect.deletion-at-equal-revision',
    'A deletion with an equal revision is applied',
    `${DELETIONS}; open points 20 and 32`,
    {
      fix: 'Apply a deletion whose revision is equal to the last applied one: losing access does not raise the revision, and you must not keep a note that you can no longer access.',
      requires: 'effect.other-note',
      problem: 'ignores a deletion whose revision is equal to the last applied one',
      run: appliesEach(({ event }, handled) => {
        const note_id = testId('note')
        const update = testEvent(handled.find(isUpdate)?.kind ?? 'note.updated', { note_id, revision: 5 })
        return { before: [update], countedEvent: event({ note_id, revision: 5 }), expectedCount: 1 }
      }, isDeletion),
    },
  ),
  must('effect.update-after-deletion', 'An older update after a deletion is not applied', ORDER, {
    fix: 'Keep the ID and the revision of a deleted note, so that a late event does not create the note again.',
    requires: 'effect.older-revision',
    problem: 'brings a deleted note back when a late update arrives',
    run: appliesEach(({ event }) => {
      const note_id = testId('note')
      const before = [event({ note_id, revision: 3 }), testEvent('note.deleted', { note_id, revision: 5 })]
      return { before, countedEvent: event({ note_id, revision: 4 }), expectedCount: 0 }
    }, isUpdate),
  }),
  must('effect.forged', 'A forged delivery is not applied', RULE_6, {
    fix: 'Verify the signature and the timestamp before you do anything else.',
    requires: 'effect.applied',
    problem: 'applies forged deliveries',
    run: applies((handled) => [
      ...KINDS.flatMap(({ name, event }) => forgedAnew(name, event(), event())),
      ...handled.flatMap((kind) => forgedAgain(kind, kind.event(), handled)),
    ]),
  }),
  must('effect.after-forgery', 'A valid event is applied after forged ones with its IDs', RULE_6, {
    fix: 'Store neither the ID nor the revision of a delivery that does not verify. Otherwise anyone can suppress events.',
    requires: 'effect.other-note',
    problem: 'ignores a valid event after a forged one with its IDs',
    run: appliesEach(({ event }) => {
      const countedEvent = event()
      const webhookId = testId('attempt')
      const newer = { ...countedEvent, data: { ...countedEvent.data, revision: 999 } }
      return {
        deliveries: [...forged('', newer, webhookId), { ...bodyOf(countedEvent), webhookId }],
        countedEvent,
        expectedCount: 1,
      }
    }),
  }),
])

/** One scenario for each kind of event that the receiver applies. */
function appliesEach(
  scenarioOf: (kind: EventKind, handled: readonly EventKind[]) => Omit<Scenario, 'what'>,
  isOne: (kind: EventKind) => boolean = () => true,
): RunCheck {
  return applies((handled) =>
    handled.filter(isOne).map((kind) => {
      const scenario = scenarioOf(kind, handled)
      return { what: kind.name, before: creationOf(kind, scenario.countedEvent, handled), ...scenario }
    }),
  )
}

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

/** An event that creates the note of a deletion: some receivers only delete what they have. */
function creationOf(kind: EventKind, { data }: TestEvent, handled: readonly EventKind[]): readonly TestEvent[] {
  const update = handled.find(isUpdate)
  return isDeletion(kind) && update !== undefined ? [update.event({ note_id: data['note_id'], revision: 1 })] : []
}

function isUpdate(kind: EventKind): boolean {
  return !isDeletion(kind)
}
