import { eventOf } from './delivery.ts'
import { type Examination, timesApplied, whenApplied } from './examination.ts'
import { type Exchange, isAccepted } from './send.ts'

/**
 * Sends a valid delivery again to which the receiver answered 5xx, as the service does. If the receiver now accepts it without applying it,
 * the event is lost.
 *
 * @returns the cause, certain if the effects show it; `undefined` if no event is lost
 */
export async function causeOfLoss(
  examination: Examination,
  { reply, delivery }: Exchange,
): Promise<{ readonly cause: string; readonly isCertain: boolean } | undefined> {
  if (reply.kind !== 'answered' || reply.status < 500) return undefined
  const event = eventOf(delivery)
  if (event === undefined) return undefined
  const { reply: again } = await examination.deliver({ body: delivery.body, headers: delivery.headers })
  if (again.kind !== 'answered' || !isAccepted(again)) return undefined
  const { effects } = examination
  const isCertain = effects !== undefined
  if (isCertain && timesApplied(await whenApplied({ ...examination, effects }, [event]), event) > 0) return undefined
  const marks = 'it marks an event as processed before its handler has succeeded, so the retry loses the event'
  const cause = `it answered ${reply.status}, and ${again.status} to the same delivery again: ${isCertain ? '' : 'unless it processed the event then, '}${marks}`
  return { cause, isCertain }
}
