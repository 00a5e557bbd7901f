import type { Context } from '../context/context.ts'
import { failureOf } from '../errors/failure.ts'
import type { Forward, Received } from './receive.ts'

/** How long to wait between two attempts, in milliseconds. */
const ATTEMPT_EVERY_MS = 2_000

export interface Verification {
  readonly isDone: () => boolean
  readonly hear: (received: Received) => void
}

/**
 * Has an endpoint verified as soon as the receiver to forward to accepts the verification: the service itself repeats it only after 30 s,
 * then after 5 min (contract §8).
 *
 * @param verify  has the service send the verification again
 */
export function followVerification(
  forward: Forward,
  verify: () => Promise<unknown>,
  { clock, signal, output }: Pick<Context, 'clock' | 'signal' | 'output'>,
): Verification {
  let isDone = false
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

  return {
    isDone: () => isDone,
    hear(received) {
      const { answered, judgement } = received
      if (judgement.outcome?.event.event_type !== 'endpoint.verification') return
      isDone ||= answered < 300
      if (isDone || isWaiting) return
      isWaiting = true
      output.tell(
        'The application has not accepted the verification. Start it, or restart it to read its settings: the program tries again every 2 s.',
      )
      verifyOnceAccepted(received).catch((error: unknown) => {
        if (!signal.aborted) output.warn(`The endpoint was not verified: ${failureOf(error).message}`)
      })
    },
  }
}
