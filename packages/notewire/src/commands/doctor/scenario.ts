import { setTimeout as pause } from 'node:timers/promises'
import { CommandError } from '../../errors/failure.ts'
import { failed, notTested, type Outcome, passed, type RunCheck } from './check.ts'
import {
  bodyOf,
  type DeliveryTraits,
  type EventKind,
  NOTE_KINDS,
  type TestEvent,
  testEvent,
  testId,
} from './delivery.ts'
import { type Effects, type Examination, timesApplied, whenApplied } from './examination.ts'
import { causeOfLoss } from './lost-event.ts'
import { type Exchange, isAccepted } from './send.ts'

/** Deliveries, and how often the receiver must have applied one of their events after all of them. */
export interface Scenario {
  readonly what: string
  /** Events that are sent first, one at a time, with `webhookId`. The scenario is skipped unless the receiver applies all of them. */
  readonly before?: readonly TestEvent[]
  readonly webhookId?: string
  /** Default: the counted event alone. */
  readonly deliveries?: readonly Partial<DeliveryTraits>[] | undefined
  readonly atOnce?: boolean | undefined
  readonly countedEvent: TestEvent
  readonly expectedCount: 0 | 1
}

/** @param scenariosOf  gets the kinds of events that the receiver applies */
export function plays(scenariosOf: (handled: readonly EventKind[]) => readonly Scenario[]): RunCheck {
  return withEffects(async (examination) => await play(examination, scenariosOf(await handledKinds(examination))))
}

export const appliesEvents = withEffects(async (examination) => {
  const handled = await handledKinds(examination)
  if (handled.length > 0) return passed(`applied: ${namesOf(handled)}`)
  return failed(await examination.deliver({}), `applied none of these: ${namesOf(NOTE_KINDS)}`)
})

export const appliesBothReasons = withEffects(async (examination) => {
  const applied = (await handledKinds(examination)).filter(isDeletion)
  if (applied.length === 0) return notTested('the receiver applies no deletions')
  if (applied.length === 2) return passed('applied: deleted, access_lost')
  return failed(await examination.deliver({}), `applied only ${namesOf(applied)}`)
})

export function isDeletion({ kind }: EventKind): boolean {
  return kind === 'note.deleted'
}

export function isUpdate(kind: EventKind): boolean {
  return !isDeletion(kind)
}

const RACES = 10

/**
 * Sends revisions 5 and 4 of a note at the same time, for several notes. Both orders are right, unless the lower one is applied after the higher
 * one: then two deliveries compared their revisions before either stored its own.
 */
export const comparesConcurrently = withEffects(async (examination) => {
  const kind = (await handledKinds(examination)).find(isUpdate)
  if (kind === undefined) return notTested('the receiver applies no updates')
  const pairs = Array.from({ length: RACES }, () => {
    const note_id = testId('note')
    return { higher: kind.event({ note_id, revision: 5 }), lower: kind.event({ note_id, revision: 4 }) }
  })
  const accepted: { readonly exchange: Exchange; readonly higher: TestEvent; readonly lower: TestEvent }[] = []
  for (const { higher, lower } of pairs) {
    const [exchange] = await Promise.all([examination.deliver(bodyOf(higher)), examination.deliver(bodyOf(lower))])
    // A receiver that is busy with the other one may leave this one to a retry.
    if (isAccepted(exchange.reply)) accepted.push({ exchange, higher, lower })
  }
  const last = kind.event()
  await examination.deliver(bodyOf(last))
  await whenApplied(examination, [...accepted.map(({ higher }) => higher), last])
  await pause(examination.limits.effectsSettleMs, undefined, { signal: examination.signal })
  const applied = await examination.effects(examination.signal)
  const wrong = accepted.find(({ higher, lower }) => {
    const higherAt = applied.indexOf(higher.event_id)
    return higherAt !== -1 && applied.lastIndexOf(lower.event_id) > higherAt
  })
  if (wrong === undefined) return passed(`${accepted.length} pairs of concurrent events were applied in order`)
  if (applied.lastIndexOf(last.event_id) !== applied.length - 1) {
    return notTested('the effects URL does not list events in the order in which they were applied')
  }
  return failed(wrong.exchange, 'applied revision 5, then revision 4 of the same note')
})

export type ExaminationWithEffects = Examination & { readonly effects: Effects }

export function withEffects(run: (examination: ExaminationWithEffects) => Promise<Outcome>): RunCheck {
  return async (examination) => {
    const { effects } = examination
    if (effects === undefined) {
      return notTested('a test build can list the events that it applied, for --effects-url')
    }
    try {
      return await run({ ...examination, effects })
    } catch (error) {
      if (error instanceof CommandError) return notTested(error.message)
      throw error
    }
  }
}

const HANDLED = new WeakMap<Effects, Promise<readonly EventKind[]>>()

/** The kinds of events that the receiver applies. Cached per examination, because finding them waits until the time limit if one is ignored. */
export function handledKinds(examination: ExaminationWithEffects): Promise<readonly EventKind[]> {
  const known = HANDLED.get(examination.effects)
  if (known !== undefined) return known
  const found = findHandledKinds(examination)
  HANDLED.set(examination.effects, found)
  return found
}

async function findHandledKinds(examination: ExaminationWithEffects): Promise<readonly EventKind[]> {
  // A receiver that keeps one revision for all notes applies only higher revisions than the doctor has sent before.
  for (const revision of [3, Number.MAX_SAFE_INTEGER]) {
    const sent = NOTE_KINDS.map((kind) => ({ kind, event: kind.event({ revision }) }))
    // Some receivers only delete what they have.
    for (const { event } of sent.filter(({ kind }) => isDeletion(kind))) {
      const { note_id } = event.data
      await examination.deliver(bodyOf(testEvent('note.ended', { note_id, revision: revision - 2 })))
      await examination.deliver(bodyOf(testEvent('note.updated', { note_id, revision: revision - 1 })))
    }
    for (const { event } of sent) await examination.deliver(bodyOf(event))
    const applied = await whenApplied(
      examination,
      sent.map(({ event }) => event),
    )
    const handled = sent.filter(({ event }) => timesApplied(applied, event) > 0).map(({ kind }) => kind)
    if (handled.length > 0) return handled
  }
  return []
}

/** Sends the deliveries of all scenarios in turns, then waits once for all effects. */
async function play(examination: ExaminationWithEffects, all: readonly Scenario[]): Promise<Outcome> {
  const ready = await prepare(examination, all)
  if (ready.length === 0) return notTested('the receiver does not apply the events that this needs')
  const exchanges = new Map<Scenario, Exchange>()
  for (const turn of turnsOf(ready, batchesOf)) {
    for (const { scenario, part } of turn) exchanges.set(scenario, await sendAtOnce(examination, part))
  }
  const expected = ready.filter(({ expectedCount }) => expectedCount > 0)
  await whenApplied(
    examination,
    expected.map(({ countedEvent }) => countedEvent),
  )
  // The receiver may still apply an event, or apply it again.
  const mustSettle = ready.some((scenario) => scenario.expectedCount === 0 || isRepeated(scenario))
  if (mustSettle) await pause(examination.limits.effectsSettleMs, undefined, { signal: examination.signal })
  const applied = await examination.effects(examination.signal)
  for (const [{ what, countedEvent, expectedCount }, exchange] of exchanges) {
    const times = timesApplied(applied, countedEvent)
    if (times === expectedCount) continue
    const seen = `applied ${timesText(times)}; expected ${timesText(expectedCount)}`
    const lost = expectedCount > times ? await causeOfLoss(examination, exchange) : undefined
    return { ...failed(exchange, seen, lost?.cause), what }
  }
  return passed(`as expected: ${ready.map(({ what }) => what).join(', ')}`)
}

/** Whether several deliveries have the ID of the counted event. */
function isRepeated({ countedEvent: { event_id }, deliveries = [] }: Scenario): boolean {
  return deliveries.filter(({ body }) => String(body).includes(event_id)).length > 1
}

/** The deliveries of a scenario, in groups that are sent at the same time. */
function batchesOf({ countedEvent, deliveries = [bodyOf(countedEvent)], atOnce }: Scenario) {
  return atOnce ? [deliveries] : deliveries.map((each) => [each])
}

/** The first parts of all scenarios, then the second ones, and so on. */
function turnsOf<Part>(scenarios: readonly Scenario[], partsOf: (scenario: Scenario) => readonly Part[]) {
  const parts = scenarios.flatMap((scenario) => partsOf(scenario).map((part, turn) => ({ scenario, part, turn })))
  return Map.groupBy(
    parts.toSorted((one, other) => one.turn - other.turn),
    ({ turn }) => turn,
  ).values()
}

/** Returns an accepted exchange, if there is one. Concurrent deliveries may all be rejected because of each other. */
async function sendAtOnce({ deliver }: Examination, deliveries: readonly Partial<DeliveryTraits>[]): Promise<Exchange> {
  const exchanges = await Promise.all(deliveries.map((each) => deliver(each)))
  const [first] = exchanges
  if (first !== undefined && exchanges.length === 1) return first
  return exchanges.find(({ reply }) => isAccepted(reply)) ?? (await deliver(deliveries[0] ?? {}))
}

/** Sends the events of `before`. Returns the scenarios whose events were all applied. */
async function prepare(examination: ExaminationWithEffects, all: readonly Scenario[]): Promise<readonly Scenario[]> {
  const unready = new Set<Scenario>()
  for (const turn of turnsOf(all, ({ before = [] }) => before)) {
    const sent = turn.filter(({ scenario }) => !unready.has(scenario))
    for (const { part, scenario } of sent) {
      const { webhookId } = scenario
      await examination.deliver({ ...bodyOf(part), ...(webhookId !== undefined && { webhookId }) })
    }
    const applied = await whenApplied(
      examination,
      sent.map(({ part }) => part),
    )
    for (const { part, scenario } of sent) if (timesApplied(applied, part) === 0) unready.add(scenario)
  }
  return all.filter((scenario) => !unready.has(scenario))
}

function namesOf(kinds: readonly EventKind[]): string {
  return kinds.map(({ name }) => name).join(', ')
}

function timesText(count: number): string {
  return ['never', 'once'][count] ?? `${count} times`
}
