import { setTimeout as pause } from 'node:timers/promises'
import { failed, group, must, notTested, type Outcome, passed } from '../check.ts'
import { bodyOf, type EventKind, eventOf, type TestEvent, testEvent, testId } from '../delivery.ts'
import { timesApplied, whenApplied } from '../examination.ts'
import { type ExaminationWithEffects, handledKinds, isUpdate, withEffects } from '../scenario.ts'
import { type Exchange, isAccepted } from '../send.ts'
import { COMPARE_REVISIONS, DUPLICATES, ORDER, STORE_EVENT_IDS } from './requirements.ts'

/** A receiver that remembers fewer events, or the revisions of fewer notes, is found. */
const OTHER_EVENTS = 300

/** How many of them are sent at the same time, if the other checks have sent too few. */
const AT_ONCE = 5

/** The first events that the receiver applied are sent again after many others. */
const appliesOnceAfterMany = withEffects(async (examination) => {
  const early = await earliestEvents(examination, await handledKinds(examination))
  return await mustNotApply(examination, early, ({ event }) => event, 1)
})

/** New events with lower revisions, about the notes of the first events. */
const ignoresOlderAfterMany = withEffects(async (examination) => {
  const updates = (await handledKinds(examination)).filter(isUpdate)
  const early = await earliestEvents(examination, updates)
  const older = ({ event: { event_type, data } }: Early) =>
    testEvent(event_type, { ...data, revision: Number(data['revision']) - 1 })
  return await mustNotApply(examination, early, older, 0)
})

export const memoryChecks = group('Effects', [
  must('effect.once-after-many', 'An event repeated after hundreds of other events is applied once', DUPLICATES, {
    fix: `Do not limit how many event IDs you keep: keep each for more than 27 h, because the service retries for that long. ${STORE_EVENT_IDS}`,
    requires: 'effect.once-under-other-webhook-ids',
    problem: 'applies an event again when it is repeated after hundreds of other events',
    run: appliesOnceAfterMany,
  }),
  must('effect.older-after-many', 'An older event after events about hundreds of other notes is not applied', ORDER, {
    fix: `Keep the revision of every note, not in a cache of limited size. ${COMPARE_REVISIONS}`,
    requires: 'effect.older-revision',
    problem: 'applies an older event after events about hundreds of other notes',
    run: ignoresOlderAfterMany,
  }),
])

interface Early {
  readonly kind: EventKind
  readonly event: TestEvent
}

/** For each kind, the first event that the receiver applied once. Sends others, until it has applied enough after them. */
async function earliestEvents(
  examination: ExaminationWithEffects,
  kinds: readonly EventKind[],
): Promise<readonly Early[]> {
  const { exchanges, signal, deliver } = examination
  const applied = await examination.effects(signal)
  const sent = exchanges.filter(({ reply }) => isAccepted(reply)).flatMap(({ delivery }) => eventOf(delivery) ?? [])
  const isApplied = (event: TestEvent) => timesApplied(applied, event) === 1
  const early = kinds.flatMap((kind) => {
    const event = sent.find((each) => isOf(kind, each) && isRevision(each.data['revision']) && isApplied(each))
    return event === undefined ? [] : [{ kind, event }]
  })
  const [any] = early
  if (any === undefined) return []
  const latest = Math.max(...early.map(({ event }) => sent.indexOf(event)))
  const later = new Set(sent.slice(latest + 1).filter(isApplied))
  for (let missing = OTHER_EVENTS - later.size; missing > 0; missing -= AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => deliver(bodyOf(any.kind.event()))))
  }
  return early
}

async function mustNotApply(
  examination: ExaminationWithEffects,
  early: readonly Early[],
  eventFor: (early: Early) => TestEvent,
  expectedCount: 0 | 1,
): Promise<Outcome> {
  if (early.length === 0) return notTested('the receiver does not apply the events that this needs')
  const { deliver, limits, signal } = examination
  const sent: { readonly kind: EventKind; readonly event: TestEvent; readonly exchange: Exchange }[] = []
  for (const each of early) {
    const event = eventFor(each)
    sent.push({ kind: each.kind, event, exchange: await deliver({ ...bodyOf(event), webhookId: testId('attempt') }) })
  }
  // A receiver that applies events in order has applied the others when it has applied this one.
  const last = early[0]?.kind.event()
  if (last !== undefined) {
    await deliver(bodyOf(last))
    await whenApplied(examination, [last])
  }
  await pause(limits.effectsSettleMs, undefined, { signal })
  const applied = await examination.effects(signal)
  const wrong = sent.find(({ event }) => timesApplied(applied, event) > expectedCount)
  if (wrong === undefined) return passed(`as expected after ${OTHER_EVENTS} other events`)
  return { ...failed(wrong.exchange, `applied after ${OTHER_EVENTS} other events`), what: wrong.kind.name }
}

function isOf({ kind, name }: EventKind, { event_type, data }: TestEvent): boolean {
  return event_type === kind && (data['reason'] === 'access_lost') === name.includes('access_lost')
}

/** Whether there is a lower revision. */
function isRevision(revision: unknown): boolean {
  return Number.isSafeInteger(revision) && Number(revision) > 0
}
