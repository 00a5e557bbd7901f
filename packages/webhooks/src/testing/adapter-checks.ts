import assert from 'node:assert/strict'
import type { Logger, WebhookEvent } from '@notewire/protocol'
import type { ReceiverOptions } from '../options/receiver-options.ts'
import type { HandlerContext } from '../processing/handlers.ts'
import { createReceiver } from '../receiver/receiver.ts'
import type { Receiver } from '../receiver/receiver-interface.ts'
import { anEvent, anUnknownEvent } from './an-event.ts'
import { type SignedAttempt, type SigningTraits, signAttempt } from './sign-attempt.ts'

/** A receiver that is mounted in a running server. */
export interface MountedReceiver {
  /** The absolute URL for deliveries. */
  readonly url: string
  /** Stops the server. */
  readonly close: () => Promise<void>
}

/** A check that every adapter must pass. */
export interface AdapterCheck {
  readonly name: string
  /** Rejects with an `AssertionError` if the adapter fails the check. */
  readonly run: (mount: (receiver: Receiver) => Promise<MountedReceiver>) => Promise<void>
}

const SECRET = 'whsec_YW4tYWRhcHRlci1jaGVjay1zZWNyZXQtb2YtMzItYnk'

// With an id: a Worker may not make a random one while it is loaded.
const ENDED = anEvent({ kind: 'note.ended', eventId: 'evt_ended' })

/**
 * The checks that every adapter must pass: run each with a function that mounts a receiver in your framework on a real port.
 *
 * @example
 * ```ts
 * import { once } from 'node:events'
 * import { createServer } from 'node:http'
 * import { it } from 'vitest'
 * import { nodeHandler } from '@notewire/webhooks/node'
 * import { adapterChecks } from '@notewire/webhooks/testing'
 *
 * it.each(adapterChecks)('$name', ({ run }) =>
 *   run(async (receiver) => {
 *     const server = createServer(nodeHandler(receiver)).listen(3999)
 *     await once(server, 'listening')
 *     return { url: 'http://127.0.0.1:3999/', close: async () => void server.close() }
 *   }),
 * )
 * ```
 */
export const adapterChecks: readonly AdapterCheck[] = [
  check('passes a signed event to its handler and answers 204 without a body', async ({ post, applied }) => {
    const response = await post(await signAttempt(SECRET, ENDED))
    assert.equal(response.status, 204)
    assert.equal(await response.text(), '')
    assert.deepEqual(applied, [ENDED])
  }),

  check('verifies the unchanged bytes of the body', async ({ answer, applied }) => {
    const event = anEvent({ kind: 'note.updated', noteId: 'nöte-\u{1F4DD}-\u2028' })
    await answer(204, `  ${JSON.stringify(event, null, 3)}\r\n`)
    assert.deepEqual(applied, [event])
  }),

  check('applies an event once if it is delivered several times', async ({ answer, applied }) => {
    for (let attempt = 1; attempt <= 3; attempt += 1) await answer(204, ENDED)
    assert.equal(applied.length, 1)
  }),

  check('acknowledges and ignores a lower revision', async ({ answer, applied }) => {
    const newer = anEvent({ kind: 'note.updated', revision: 7 })
    await answer(204, newer)
    await answer(204, anEvent({ kind: 'note.updated', revision: 6 }))
    assert.deepEqual(applied, [newer])
  }),

  check('acknowledges the verification of an endpoint without any configuration', ({ answer }) =>
    answer(204, anEvent({ kind: 'endpoint.verification' })),
  ),

  check('passes an event of an unknown kind to onUnknown', async ({ answer, applied }) => {
    const event = anUnknownEvent()
    await answer(204, event)
    assert.deepEqual(applied, [event])
  }),

  check('refuses a changed body with 401 and does not show the reason', async ({ post, applied }) => {
    const { headers, body } = await signAttempt(SECRET, ENDED)
    const response = await post({ headers, body: body.replace('note_1', 'note_2') })
    assert.equal(response.status, 401)
    assert.doesNotMatch(await response.text(), /matching|timestamp|header|secret/i)
    assert.deepEqual(applied, [])
  }),

  ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((missing) =>
    check(`refuses a delivery without ${missing} with 401`, async ({ post }) => {
      const { headers, body } = await signAttempt(SECRET, ENDED)
      const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== missing))
      assert.equal((await post({ headers: rest, body })).status, 401)
    }),
  ),

  check('refuses a timestamp more than five minutes in the past with 401', ({ answer }) =>
    answer(401, ENDED, { signedAt: Date.now() - 302_000 }),
  ),

  check('refuses a signed body that is not an event with 400', async ({ answer }) => {
    await answer(400, '{"event_id":')
    await answer(400, '{"event_type":"note.ended"}')
  }),

  check('refuses a compressed body with 415', async ({ post }) => {
    const { headers, body } = await signAttempt(SECRET, ENDED)
    assert.equal((await post({ headers: { ...headers, 'content-encoding': 'gzip' }, body })).status, 415)
  }),

  check('accepts a body of 256 KiB, and refuses a larger one with 413', async ({ answer, applied }) => {
    const largest = JSON.stringify(ENDED).padEnd(256 * 1024)
    await answer(204, largest)
    await answer(413, `${largest} `)
    assert.equal(applied.length, 1)
  }),

  check('answers 500 if the handler throws, and applies the event when it is sent again', async (stage) => {
    stage.fail()
    await stage.answer(500, ENDED)
    assert.deepEqual(stage.applied, [])
    await stage.answer(204, ENDED)
    assert.deepEqual(stage.applied, [ENDED])
  }),

  check('passes the headers of the attempt to the handler', async ({ answer, seenIds }) => {
    await answer(204, ENDED, { webhookId: 'msg_seen' })
    assert.deepEqual(seenIds, ['msg_seen'])
  }),

  check(
    'answers 503 with Retry-After while there is no secret',
    async ({ post }) => {
      const response = await post(await signAttempt(SECRET, anEvent({ kind: 'endpoint.verification' })))
      assert.equal(response.status, 503)
      assert.equal(response.headers.get('retry-after'), '30')
    },
    { secret: () => undefined },
  ),
]

interface Stage {
  readonly post: (attempt: SignedAttempt) => Promise<Response>
  /** Signs and sends a payload. Fails unless it is answered with this status. */
  readonly answer: (status: number, ...signed: SignedPayload) => Promise<void>
  /** The events that the handlers received, in order. */
  readonly applied: readonly WebhookEvent[]
  readonly seenIds: readonly (string | null)[]
  /** Makes the next handler throw. */
  readonly fail: () => void
}

type SignedPayload = [payload: object | string, traits?: SigningTraits]

function check(
  name: string,
  body: (stage: Stage) => Promise<void>,
  overrides: Partial<ReceiverOptions> = {},
): AdapterCheck {
  return {
    name,
    run: async (mount) => {
      const applied: WebhookEvent[] = []
      const seenIds: (string | null)[] = []
      let fails = false
      const handler = (event: WebhookEvent, { headers }: HandlerContext) => {
        const failsNow = fails
        fails = false
        if (failsNow) throw new Error('the handler fails')
        applied.push(event)
        seenIds.push(headers.get('webhook-id'))
      }
      const on = { 'note.ended': handler, 'note.updated': handler }
      const receiver = createReceiver({ secret: SECRET, on, onUnknown: handler, logger: silent, ...overrides })
      const { url, close } = await mount(receiver)
      const post: Stage['post'] = (attempt) => fetch(url, { method: 'POST', ...attempt })
      const answer = async (status: number, ...signed: SignedPayload) =>
        assert.equal((await post(await signAttempt(SECRET, ...signed))).status, status)
      const fail = () => {
        fails = true
      }
      try {
        await body({ post, answer, applied, seenIds, fail })
      } finally {
        await close()
      }
    },
  }
}

const silent: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
