import type { Context } from '../../context/context.ts'
import { failureOf } from '../../errors/failure.ts'
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
      `The application has not accepted the verification yet. Until then, the service sends no events about notes. ${adviceFor(received)} The verification is repeated until the application accepts it.`,
    )
    verifyOnceAccepted(received).catch((error: unknown) => {
      if (!signal.aborted) output.warn(`The endpoint was not verified: ${failureOf(error).message}`)
    })
  }
}

/** What makes the application accept the verification. */
function adviceFor({ forwarding }: Received): string {
  if (forwarding === undefined || 'problem' in forwarding) {
    if (forwarding?.isOfProxy) return 'Add the host of --forward-to to NO_PROXY, and start listen again.'
    return forwarding?.problem.includes('https')
      ? 'The application does not speak https: start listen again, with http:// in --forward-to.'
      : 'Start the application, or restart it so that it reads its settings.'
  }
  const { status } = forwarding
  if (status === 404 || status === 405) {
    return `It answers ${status}, so it has no route for POST at this path: correct the route, or start listen again with the path of the route in --forward-to.`
  }
  if (status >= 300 && status < 400) {
    return `It answers ${status}, a redirect, which the service does not follow: start listen again with the URL to which it redirects in --forward-to, or remove the redirect.`
  }
  if (status === 401 || status === 403) return 'It rejects the signature: restart it so that it reads its settings.'
  return `It answers ${status}: read its log.`
}
