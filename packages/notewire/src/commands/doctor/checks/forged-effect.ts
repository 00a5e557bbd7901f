import { group, must } from '../check.ts'
import { bodyOf, type EventKind, KINDS, secondsFromNow, type TestEvent, testEvent, testId } from '../delivery.ts'
import { applies, creationOf } from '../effect-case.ts'
import { plays, type Scenario } from '../scenario.ts'
import { forged } from './forgery.ts'
import { RULE_6 } from './requirements.ts'

export const forgedEffectChecks = group('Effects', [
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
