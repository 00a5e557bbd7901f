import { type Clock, monotonicNow } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { Claim, ReceiverStore } from '../interfaces/store.ts'
import { LEASE_MS, withRevision } from './claim-request.ts'
import type { HandlerContext } from './handlers.ts'
import type { ReceivedEvent } from './received-event.ts'
import type { Alarm } from './timers.ts'

/** An event whose claim this process holds. */
export class ClaimedEvent {
  readonly received: ReceivedEvent
  /** `monotonicNow` before the claim was requested: a lower bound for the start of the lease. */
  readonly claimedAt: number
  /** With the revision to commit. */
  claim: Claim
  /** Whether another worker has the claim, or its lease has expired. */
  isLost = false

  constructor(received: ReceivedEvent, claim: Claim, claimedAt: number) {
    this.received = received
    this.claim = claim
    this.claimedAt = claimedAt
  }

  /** What the handler gets. */
  context(prepared: unknown, logger: Logger): HandlerContext {
    return Object.assign(this.received.context(this.claim.applied, logger), {
      prepared,
      setAppliedRevision: (revision: number) => {
        this.claim = { ...this.claim, request: withRevision(this.claim.request, revision) }
      },
    })
  }
}

const RENEW_EVERY_MS = 5_000

/**
 * Renews the claim of an event every 5 s, until it is lost. It schedules the next renewal without waiting for the store's response. If another
 * worker has claimed the event, or if every renewal failed until the lease expired, the claim is lost, and the signal of the handler is
 * aborted.
 *
 * @returns ends the renewals
 */
export function keepLease(
  { store, clock, alarm }: { readonly store: ReceiverStore; readonly clock: Clock; readonly alarm: Alarm },
  claimed: ClaimedEvent,
): () => void {
  const { claim } = claimed
  let expiresAt = claimed.claimedAt + LEASE_MS
  let hasEnded = false
  scheduleRenewal()
  return end

  function renew(): void {
    if (monotonicNow(clock) >= expiresAt) lose()
    else {
      scheduleRenewal()
      void renewNow()
    }
  }

  async function renewNow(): Promise<void> {
    const requestedAt = monotonicNow(clock)
    try {
      if ((await store.renew(claim, LEASE_MS)) === 'lost') lose()
      else expiresAt = requestedAt + LEASE_MS
    } catch {
      // The next renewal may succeed before the lease expires.
    }
  }

  function scheduleRenewal(): void {
    alarm.set(renew, Math.min(monotonicNow(clock) + RENEW_EVERY_MS, expiresAt))
  }

  function lose(): void {
    if (hasEnded) return
    end()
    claimed.isLost = true
    claimed.received.abort.abort('the claim was lost: another worker holds it, or its lease expired')
  }

  function end(): void {
    hasEnded = true
    alarm.clear(renew)
  }
}
