import { type Clock, ENDPOINT_EVENT_KINDS, NOTE_EVENT_KINDS } from '@notewire/protocol'
import { createReceiver, memoryStore, type ProcessOutcome, type VerificationFailure } from '@notewire/webhooks'

export interface Arrival {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
}

export interface Judgement {
  readonly answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  readonly refusal: { readonly reason: VerificationFailure; readonly detail: string } | undefined
  /** The outcome of the event, if the body is one. */
  readonly outcome: ProcessOutcome | undefined
  readonly isVerified: boolean
}

/** The response of the other receiver to a forwarded delivery. */
export type Forwarding =
  | { readonly status: number }
  /** The receiver could not be reached, or did not answer in time. */
  | { readonly problem: string }

/** A delivery, its result, and the response to it. */
export interface Received {
  /** The time of arrival, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly tookMs: number
  readonly arrival: Arrival
  readonly judgement: Judgement
  readonly forwarding: Forwarding | undefined
  /** The status of the response to the service. */
  readonly answered: number
}

/** The receiver rejects larger bodies (open point 25). */
export const MOST_BYTES = 262_144

export interface JudgeOptions {
  readonly clock: Clock
  /** Called for each delivery, which waits for the result: an endpoint that is being registered has no secret yet. */
  readonly secret: () => Promise<string>
  readonly path: string | undefined
}

/** Verifies and processes deliveries with a receiver of `@notewire/webhooks`, and returns the result. */
export function createJudge({ clock, secret, path }: JudgeOptions): (arrival: Arrival) => Promise<Judgement> {
  const store = memoryStore({ clock })
  return async (arrival) => {
    let refusal: Judgement['refusal']
    let outcome: ProcessOutcome | undefined
    let isVerified = false
    // The hooks do not name the delivery, so each delivery has its own receiver, over one store.
    const receiver = createReceiver({
      secret,
      clock,
      store,
      path,
      on: HANDLE_ALL,
      onUnknown: () => undefined,
      logger: SILENT,
      hooks: {
        onRefused: (reason, detail) => {
          refusal = { reason, detail }
        },
        onVerified: () => {
          isVerified = true
        },
        onOutcome: (found) => {
          outcome = found
        },
      },
    })
    const answer = await receiver.respond({
      method: arrival.method,
      path: arrival.path,
      headers: arrival.headers,
      readBody: async (maxBytes) =>
        arrival.body.length > maxBytes ? { status: 'too-large' } : { status: 'read', bytes: arrival.body },
    })
    return { answer, refusal, outcome, isVerified }
  }
}

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Handles every kind, because the receiver does not report stale events of kinds that are not handled. */
const HANDLE_ALL = Object.fromEntries(
  [...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS].map((kind) => [kind, () => undefined]),
)
