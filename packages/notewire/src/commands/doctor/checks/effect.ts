import { group, must } from '../check.ts'
import { bodyOf, testId } from '../delivery.ts'
import { applies } from '../effect-case.ts'
import { appliesBothReasons, appliesEvents } from '../scenario.ts'
import { COMPARE_REVISIONS, DELETIONS, DUPLICATES, ORDER, STORE_EVENT_IDS } from './requirements.ts'

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
])
