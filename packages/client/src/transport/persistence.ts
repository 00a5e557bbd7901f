import type { CallAttempt } from '../errors/call-attempt.ts'
import type { RequestNotice, ResponseNotice } from '../hooks.ts'
import type { ClientSettings } from '../notes-client-options.ts'
import { type AttemptOutcome, requestIdOf } from './attempt-outcome.ts'
import { nameOf, type Operation } from './operation.ts'
import { Pace } from './pace.ts'
import { pauseBeforeRetry } from './retry-pause.ts'
import { createSender, type OutgoingRequest } from './sender.ts'
import { tellHook } from './tell-hook.ts'

/** One call, as it goes over the wire. */
interface WireCall {
  readonly operation: Operation
  readonly url: string
  readonly body: object | undefined
  readonly signal: AbortSignal | undefined
  readonly totalTimeoutMs: number
}

/** What became of a call. */
interface CallOutcome {
  /** How its last request ended. */
  readonly outcome: AttemptOutcome
  readonly attempts: readonly CallAttempt[]
  /** How long the last request was given, in milliseconds. */
  readonly timeoutMs: number
}

/**
 * Makes what sends a request, and sends it again while that may help and time is left.
 *
 * What it makes throws the reason of the signal, and nothing else.
 */
export function createPersistence(settings: ClientSettings): (call: WireCall) => Promise<CallOutcome> {
  const { clock, hooks, maxRetries } = settings
  const send = createSender(settings)
  const pace = new Pace(clock)
  let calls = 0

  return async ({ operation, url, body, signal, totalTimeoutMs }) => {
    calls += 1
    const callId = calls
    const deadline = clock.now() + totalTimeoutMs
    const attempts: CallAttempt[] = []
    let delayMs = 0
    for (;;) {
      delayMs += await pace.takeTurn(deadline, signal)
      // A clock that was set forward meanwhile must not leave an attempt without any time.
      const timeoutMs = Math.max(1, Math.min(settings.timeoutMs, deadline - clock.now()))
      const notice = { callId, operation: nameOf(operation), attempt: attempts.length + 1 }
      const { outcome, response } = await attempt(notice, { method: operation.method, url, body, timeoutMs, signal })
      const { status, failure, networkCode } = outcome
      attempts.push({ status, failure, networkCode, delayMs })

      const pauseMs = attempts.length > maxRetries ? undefined : pauseBeforeRetry(operation, outcome, attempts.length)
      if (pauseMs === undefined || clock.now() + pauseMs >= deadline) return { outcome, attempts, timeoutMs }
      tellHook(hooks.onRetry, { ...response, delayMs: pauseMs })
      await clock.sleep(pauseMs, signal)
      delayMs = pauseMs
    }
  }

  async function attempt(notice: RequestNotice, request: OutgoingRequest) {
    const began = clock.now()
    tellHook(hooks.onRequest, notice)
    try {
      const outcome = await send(request)
      return { outcome, response: ended(notice, began, outcome) }
    } catch (reason) {
      ended(notice, began, ABORTED)
      throw reason
    }
  }

  function ended(notice: RequestNotice, began: number, ending: AttemptOutcome | typeof ABORTED): ResponseNotice {
    const { status, failure, networkCode, headers } = ending
    pace.endTurn(headers)
    const requestId = headers && requestIdOf(headers)
    const response = { ...notice, status, failure, networkCode, requestId, durationMs: clock.now() - began }
    tellHook(hooks.onResponse, response)
    return response
  }
}

const ABORTED = { status: undefined, failure: 'aborted', networkCode: undefined, headers: undefined } as const
