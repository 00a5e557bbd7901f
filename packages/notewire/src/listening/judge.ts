import type { Clock } from '@notewire/protocol'
import { createReceiver, memoryStore, type ProcessOutcome } from '@notewire/webhooks'
import type { Arrival, Judgement } from './received.ts'

/** Larger bodies are turned away (open point 25). */
export const MOST_BYTES = 262_144

/** What a receiver is made with. */
export interface JudgeOptions {
  readonly clock: Clock
  /** Asked at each delivery, which waits: an endpoint that is being registered has none yet. */
  readonly secret: () => Promise<string>
  readonly path: string | undefined
}

/** Judges deliveries as a receiver made with `@notewire/webhooks` would, and tells what it found. */
export function createJudge({ clock, secret, path }: JudgeOptions): (arrival: Arrival) => Promise<Judgement> {
  const store = memoryStore({ clock })
  return async (arrival) => {
    let refusal: Judgement['refusal']
    let outcome: ProcessOutcome | undefined
    let isVerified = false
    // Hooks do not say which delivery they tell of: a receiver for each, over one store, does.
    const receiver = createReceiver({
      secret,
      clock,
      store,
      path,
      on: handleAll(),
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

/** Every kind is news: events that nobody handles would not show which are stale. */
function handleAll() {
  const seen = () => undefined
  return {
    'note.ended': seen,
    'note.summary.generated': seen,
    'note.updated': seen,
    'note.deleted': seen,
    'endpoint.verification': seen,
    'endpoint.test': seen,
  }
}
