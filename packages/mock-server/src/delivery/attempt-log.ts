import type { Timeline } from '../clock/timeline.ts'
import type { Contract } from '../variants/contract-variants.ts'
import { type Attempt, newAttempt } from './attempt.ts'
import type { AttemptFaults } from './attempt-faults.ts'
import type { AttemptSender, SendResult } from './attempt-sender.ts'
import { BoundedLog } from './bounded-log.ts'
import type { Dispatch } from './delivery.ts'

export interface AttemptLogParts {
  readonly timeline: Timeline
  readonly contract: Contract
  readonly sender: AttemptSender
  /** How many attempts, and how many deliveries, the logs keep. */
  readonly keepLast: number
}

/** Sends attempts, and logs them in the order of sending, not in the order of the responses. */
export class AttemptLog {
  readonly entries: BoundedLog<Attempt>
  readonly #parts: AttemptLogParts

  constructor(parts: AttemptLogParts) {
    this.#parts = parts
    this.entries = new BoundedLog(parts.keepLast)
  }

  /** Makes the next attempt of a delivery. @returns the attempt with its outcome, which does not depend on the duplicate of a fault */
  async attempt(dispatch: Dispatch, faults: AttemptFaults): Promise<Attempt> {
    const { timeline, contract } = this.#parts
    const { delivery, endpoint } = dispatch
    const isPerAttempt = contract.webhookId === 'per_attempt'
    const webhookId = isPerAttempt ? endpoint.integration.owner.makeIdentifier('message') : delivery.webhook_id
    const attempt = newAttempt(dispatch, webhookId, timeline.now(), faults)
    const logged = this.#sendAndLog(attempt, faults.lost)
    if (faults.duplicated && faults.lost !== 'request') {
      void timeline.trackInFlight(this.#sendAndLog({ ...attempt, duplicate: true }, 'nothing'))
    }
    return await logged
  }

  async #sendAndLog(attempt: Attempt, lost: AttemptFaults['lost']): Promise<Attempt> {
    const number = this.entries.add(attempt)
    const result = await this.#send(attempt, lost)
    const logged = { ...attempt, duration_ms: this.#parts.timeline.now() - attempt.at, ...result }
    this.entries.replace(number, logged)
    return logged
  }

  async #send(attempt: Attempt, lost: AttemptFaults['lost']): Promise<SendResult> {
    if (lost === 'request') return { outcome: { kind: 'dropped', lost }, response: undefined }
    const result = await this.#parts.sender.send(attempt)
    return lost === 'answer' && result.outcome.kind === 'answered'
      ? { ...result, outcome: { kind: 'dropped', lost } }
      : result
  }
}
