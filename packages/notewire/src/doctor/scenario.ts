import { setTimeout as pause } from 'node:timers/promises'
import { CommandError } from '../errors/failure.ts'
import { failed, notTested, type Outcome, passed, type RunCheck } from './check.ts'
import { bodyOf, type DeliveryTraits, type EventKind, NOTE_KINDS, type TestEvent, testEvent } from './delivery.ts'
import type { CountApplied, Effects, Examination } from './examination.ts'
import { type Exchange, isAccepted } from './send.ts'

/** Deliveries, and how often the receiver must have applied one of their events after all of them. */
export interface Scenario {
  readonly what: string
  /** Events that are sent first, one at a time, with `webhookId`. The scenario is skipped unless the receiver applies all of them. */
  readonly before?: readonly TestEvent[]
  readonly webhookId?: string
  /** Default: the counted event alone. */
  readonly deliveries?: readonly Partial<DeliveryTraits>[]
  readonly atOnce?: boolean
  readonly countedEvent: TestEvent
  readonly expectedCount: 0 | 1
}

/** @param scenariosOf  gets the kinds of events that the receiver applies */
export function applies(scenariosOf: (handled: readonly EventKind[]) => readonly Scenario[]): RunCheck {
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

type ExaminationWithEffects = Examination & { readonly effects: Effects }

function withEffects(run: (examination: ExaminationWithEffects) => Promise<Outcome>): RunCheck {
  return async (examination) => {
    const { effects } = examination
    if (effects === undefined) {
      return notTested('this needs --effects-url, where the receiver lists the events that it applied')
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
function handledKinds(examination: ExaminationWithEffects): Promise<readonly EventKind[]> {
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
    const count = await countWhenApplied(
      examination,
      sent.map(({ event }) => event),
    )
    const handled = sent.filter(({ event }) => count(event.event_id) > 0).map(({ kind }) => kind)
    if (handled.length > 0) return handled
  }
  return []
}

/** Sends the deliveries of all scenarios interleaved, then waits once for all effects. */
async function play(examination: ExaminationWithEffects, all: readonly Scenario[]): Promise<Outcome> {
  const ready = await prepare(examination, all)
  if (ready.length === 0) return notTested('the receiver does not apply the events that this needs')
  const exchanges = new Map<Scenario, Exchange>()
  for (const { scenario, deliveries } of interleave(ready)) {
    exchanges.set(scenario, await sendAtOnce(examination, deliveries))
  }
  await countWhenApplied(
    examination,
    ready.filter(({ expectedCount }) => expectedCount > 0).map(({ countedEvent }) => countedEvent),
  )
  // The receiver may still apply an event, or apply it again.
  await pause(examination.limits.effectsSettleMs, undefined, { signal: examination.signal })
  const count = await examination.effects(examination.signal)
  for (const [{ what, countedEvent, expectedCount }, exchange] of exchanges) {
    const applied = count(countedEvent.event_id)
    if (applied === expectedCount) continue
    return { ...failed(exchange, `applied ${timesText(applied)}; expected ${timesText(expectedCount)}`), what }
  }
  return passed(`as expected: ${ready.map(({ what }) => what).join(', ')}`)
}

/** The first deliveries of all scenarios, then the second ones, and so on. */
function* interleave(scenarios: readonly Scenario[]) {
  const plays = scenarios.map((scenario) => {
    const { countedEvent, deliveries = [bodyOf(countedEvent)], atOnce = false } = scenario
    return { scenario, turns: atOnce ? [deliveries] : deliveries.map((each) => [each]) }
  })
  for (let turn = 0; turn < Math.max(...plays.map(({ turns }) => turns.length)); turn += 1) {
    for (const { scenario, turns } of plays) {
      const deliveries = turns[turn]
      if (deliveries !== undefined) yield { scenario, deliveries }
    }
  }
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
  let ready = all
  for (let step = 0; step < Math.max(0, ...all.map(({ before = [] }) => before.length)); step += 1) {
    const sent = ready.flatMap(({ before, webhookId }) => {
      const event = before?.[step]
      return event === undefined ? [] : [{ event, webhookId }]
    })
    for (const { event, webhookId } of sent) {
      await examination.deliver({ ...bodyOf(event), ...(webhookId !== undefined && { webhookId }) })
    }
    const count = await countWhenApplied(
      examination,
      sent.map(({ event }) => event),
    )
    ready = ready.filter(({ before = [] }) => before.slice(0, step + 1).every(({ event_id }) => count(event_id) > 0))
  }
  return ready
}

/** Waits until each of these events was applied, for a limited time. */
async function countWhenApplied(
  { effects, limits, signal }: ExaminationWithEffects,
  events: readonly TestEvent[],
): Promise<CountApplied> {
  const giveUpAt = Date.now() + limits.effectWithinMs
  while (true) {
    const count = await effects(signal)
    if (events.every(({ event_id }) => count(event_id) > 0) || Date.now() >= giveUpAt) return count
    await pause(100, undefined, { signal })
  }
}

function namesOf(kinds: readonly EventKind[]): string {
  return kinds.map(({ name }) => name).join(', ')
}

function timesText(count: number): string {
  return ['never', 'once'][count] ?? `${count} times`
}
