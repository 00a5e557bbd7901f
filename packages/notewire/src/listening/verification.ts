import type { Context } from '../context/context.ts'
import { failureOf } from '../errors/failure.ts'
import type { Forward, Received } from './receive.ts'

const ATTEMPT_EVERY_MS = 2_000

/**
 * Has an endpoint verified as soon as the receiver to forward to accepts the verification: the service itself repeats it only after 30 s,
 * then after 5 min (contract §8).
 *
 * @param verify  has the service send the verification again
 * @returns what to call with each delivery
 */
export function followVerification(
  forward: Forward,
  verify: () => Promise<unknown>,
  { clock, signal, output }: Pick<Context, 'clock' | 'signal' | 'output'>,
): (received: Received) => void {
  let isWaiting = false

  async function verifyOnceAccepted({ arrival, judgement }: Received): Promise<void> {
    for (let isAccepted = false; !isAccepted; ) {
      await clock.sleep(ATTEMPT_EVERY_MS, signal)
      const forwarding = await forward(arrival, judgement)
      isAccepted = forwarding !== undefined && 'status' in forwarding && forwarding.status < 300
    }
    isWaiting = false
    await verify()
  }

  return (received) => {
    const event = received.judgement.outcome?.event
    if (event?.event_type !== 'endpoint.verification' || received.answered < 300 || isWaiting) return
    isWaiting = true
    output.tell(
      'The application has not accepted the verification yet. Until then, the service sends no events about notes. Start the application, or restart it so that it reads its settings. The verification is repeated until the application accepts it.',
    )
    verifyOnceAccepted(received).catch((error: unknown) => {
      if (!signal.aborted) output.warn(`The endpoint was not verified: ${failureOf(error).message}`)
    })
  }
}
