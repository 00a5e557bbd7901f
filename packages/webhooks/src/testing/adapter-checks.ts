import assert from 'node:assert/strict'
import type { WebhookEvent } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { ReceiverOptions } from '../options/receiver-options.ts'
import type { HandlerContext } from '../processing/handlers.ts'
import { createReceiver } from '../receiver/receiver.ts'
import type { Receiver } from '../receiver/receiver-interface.ts'
import { anEvent, anUnknownEvent } from './an-event.ts'
import { signAttempt } from './sign-attempt.ts'

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

/**
 * The checks that every adapter must pass: run each with a function that mounts a receiver in your framework on a real port.
 *
 * @example
 * ```ts
 * import { once } from 'node:events'
 * import { createServer } from 'node:http'
 * import { describe, it } from 'vitest'
 * import { nodeHandler } from '@notewire/webhooks/node'
 * import { adapterChecks } from '@notewire/webhooks/testing'
 *
 * describe('my adapter', () => {
 *   for (const { name, run } of adapterChecks) {
 *     it(name, () =>
 *       run(async (receiver) => {
 *         const server = createServer(nodeHandler(receiver)).listen(3999)
 *         await once(server, 'listening')
 *         return { url: 'http://127.0.0.1:3999/', close: async () => void server.close() }
 *       }),
 *     )
 *   }
 * })
 * ```
 */
export const adapterChecks: readonly AdapterCheck[] = [
  check('passes a signed event to its handler and answers 204 without a body', async ({ post, applied }) => {
    const event = anEvent({ kind: 'note.ended' })
    const response = await post(await signAttempt(SECRET, event))
    assert.equal(response.status, 204)
    assert.equal(await response.text(), '')
    assert.deepEqual(applied, [event])
  }),

  check('verifies the unchanged bytes of the body', async ({ post, applied }) => {
    const event = anEvent({ kind: 'note.updated', noteId: 'nöte-\u{1F4DD}-\u2028' })
    const spaced = `  ${JSON.stringify(event, null, 3)}\r\n`
    assert.equal((await post(await signAttempt(SECRET, spaced))).status, 204)
    assert.deepEqual(applied, [event])
  }),

  check('applies an event once if it is delivered several times', async ({ post, applied }) => {
    const event = anEvent({ kind: 'note.updated' })
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      assert.equal((await post(await signAttempt(SECRET, event))).status, 204)
    }
    assert.equal(applied.length, 1)
  }),

  check('acknowledges and ignores a lower revision', async ({ post, applied }) => {
    const newer = anEvent({ kind: 'note.updated', revision: 7 })
    const older = anEvent({ kind: 'note.updated', revision: 6 })
    assert.equal((await post(await signAttempt(SECRET, newer))).status, 204)
    assert.equal((await post(await signAttempt(SECRET, older))).status, 204)
    assert.deepEqual(applied, [newer])
  }),

  check('acknowledges the verification of an endpoint without any configuration', async ({ post }) => {
    assert.equal((await post(await signAttempt(SECRET, anEvent({ kind: 'endpoint.verification' })))).status, 204)
  }),

  check('passes an event of an unknown kind to onUnknown', async ({ post, applied }) => {
    const event = anUnknownEvent()
    assert.equal((await post(await signAttempt(SECRET, event))).status, 204)
    assert.deepEqual(applied, [event])
  }),

  check('refuses a changed body with 401 and does not show the reason', async ({ post, applied }) => {
    const { headers, body } = await signAttempt(SECRET, anEvent({ kind: 'note.ended' }))
    const response = await post({ headers, body: body.replace('note_1', 'note_2') })
    assert.equal(response.status, 401)
    assert.doesNotMatch(await response.text(), /matching|timestamp|header|secret/i)
    assert.deepEqual(applied, [])
  }),

  ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((missing) =>
    check(`refuses a delivery without ${missing} with 401`, async ({ post }) => {
      const { headers, body } = await signAttempt(SECRET, anEvent({ kind: 'note.ended' }))
      const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== missing))
      assert.equal((await post({ headers: rest, body })).status, 401)
    }),
  ),

  check('refuses a timestamp more than five minutes in the past with 401', async ({ post }) => {
    const attempt = await signAttempt(SECRET, anEvent({ kind: 'note.ended' }), { signedAt: Date.now() - 302_000 })
    assert.equal((await post(attempt)).status, 401)
  }),

  check('refuses a signed body that is not an event with 400', async ({ post }) => {
    assert.equal((await post(await signAttempt(SECRET, '{"event_id":'))).status, 400)
    assert.equal((await post(await signAttempt(SECRET, '{"event_type":"note.ended"}'))).status, 400)
  }),

  check('refuses a compressed body with 415', async ({ post }) => {
    const { headers, body } = await signAttempt(SECRET, anEvent({ kind: 'note.ended' }))
    assert.equal((await post({ headers: { ...headers, 'content-encoding': 'gzip' }, body })).status, 415)
  }),

  check('accepts a body of 256 KiB, and refuses a larger one with 413', async ({ post, applied }) => {
    const event = anEvent({ kind: 'note.ended' })
    const padding = 256 * 1024 - JSON.stringify(event).length
    assert.equal((await post(await signAttempt(SECRET, JSON.stringify(event) + ' '.repeat(padding)))).status, 204)
    const response = await post(await signAttempt(SECRET, JSON.stringify(event) + ' '.repeat(padding + 1)))
    assert.equal(response.status, 413)
    assert.equal(applied.length, 1)
  }),

  check(
    'answers 500 if the handler throws, and applies the event when it is sent again',
    async ({ post, applied, fail }) => {
      const event = anEvent({ kind: 'note.updated' })
      fail()
      assert.equal((await post(await signAttempt(SECRET, event))).status, 500)
      assert.deepEqual(applied, [])
      assert.equal((await post(await signAttempt(SECRET, event))).status, 204)
      assert.deepEqual(applied, [event])
    },
  ),

  check('passes the headers of the attempt to the handler', async ({ post, seenIds }) => {
    await post(await signAttempt(SECRET, anEvent({ kind: 'note.ended' }), { webhookId: 'msg_seen' }))
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
  readonly post: (attempt: {
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }) => Promise<Response>
  /** The events that the handlers received, in order. */
  readonly applied: readonly WebhookEvent[]
  readonly seenIds: readonly (string | null)[]
  /** Makes the next handler throw. */
  readonly fail: () => void
}

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
      let failures = 0
      const handler = (event: WebhookEvent, { headers }: HandlerContext) => {
        if (failures > 0) {
          failures -= 1
          throw new Error('the handler fails')
        }
        applied.push(event)
        seenIds.push(headers.get('webhook-id'))
      }
      const receiver = createReceiver({
        secret: SECRET,
        on: { 'note.ended': handler, 'note.updated': handler },
        onUnknown: handler,
        logger: silent,
        ...overrides,
      })
      const { url, close } = await mount(receiver)
      try {
        const post: Stage['post'] = (attempt) => fetch(url, { method: 'POST', ...attempt })
        await body({
          post,
          applied,
          seenIds,
          fail: () => {
            failures += 1
          },
        })
      } finally {
        await close()
      }
    },
  }
}

const silent: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
