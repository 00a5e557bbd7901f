import assert from 'node:assert/strict'
import type { Receivers } from '../receiver/receiver-interface.ts'
import { createReceivers } from '../receiver/receivers.ts'
import type { MountedReceiver } from './adapter-checks.ts'
import { anEvent } from './an-event.ts'
import { type SignedAttempt, signAttempt } from './sign-attempt.ts'

/** A check that every adapter must pass with the receivers of many integrations. */
export interface AdapterCheckOfMany {
  readonly name: string
  /**
   * Rejects with an `AssertionError` if the adapter fails the check.
   *
   * @param mount  returns the `url` to which the check appends `/` and the id of an integration: `http://127.0.0.1:3999/webhooks/notes`
   */
  readonly run: (mount: (receiver: Receivers) => Promise<MountedReceiver>) => Promise<void>
}

/**
 * The checks that an adapter must pass with the receivers of many integrations, in addition to {@link adapterChecks}: run each with a function
 * that mounts the receiver on a real port, on a route that ends in the id of an integration.
 *
 * @example
 * ```ts
 * import { once } from 'node:events'
 * import { createServer } from 'node:http'
 * import { describe, it } from 'vitest'
 * import { nodeHandler } from '@notewire/webhooks/node'
 * import { adapterChecksOfMany } from '@notewire/webhooks/testing'
 *
 * describe('my adapter, with many integrations', () => {
 *   for (const { name, run } of adapterChecksOfMany) {
 *     it(name, () =>
 *       run(async (receiver) => {
 *         const handler = nodeHandler(receiver, { integrationOf: ({ url = '' }) => url.split('/').at(-1) })
 *         const server = createServer(handler).listen(3999)
 *         await once(server, 'listening')
 *         return { url: 'http://127.0.0.1:3999', close: async () => void server.close() }
 *       }),
 *     )
 *   }
 * })
 * ```
 */
export const adapterChecksOfMany: readonly AdapterCheckOfMany[] = [
  check('passes an event to its handler with the integration in the URL', async ({ post, handled }) => {
    const event = anEvent({ kind: 'note.ended' })
    assert.equal((await post('acme', await sign('acme', event))).status, 204)
    assert.deepEqual(handled, [['acme', event.event_id]])
  }),

  check('accepts every character of an id without decoding', async ({ post, handled }) => {
    for (const id of ['A.b_c~d-9', '__proto__', 'constructor', '...', 'x'.repeat(100)]) {
      assert.equal((await post(id, await sign(id, anEvent({ kind: 'note.ended' })))).status, 204, id)
    }
    assert.equal(handled.length, 5)
  }),

  check('processes the same event once for each integration', async ({ post, handled }) => {
    const event = anEvent({ kind: 'note.ended' })
    for (const id of ['acme', 'globex', 'acme', 'globex']) {
      assert.equal((await post(id, await sign(id, event))).status, 204)
    }
    assert.deepEqual(
      handled.map(([integration]) => integration),
      ['acme', 'globex'],
    )
  }),

  check('refuses an event with the signature of another integration with 401', async ({ post, handled }) => {
    assert.equal((await post('acme', await sign('globex', anEvent({ kind: 'note.ended' })))).status, 401)
    assert.deepEqual(handled, [])
  }),

  check('answers 404 for an integration that does not exist', async ({ post, asked, handled }) => {
    const response = await post('unknown', await sign('unknown', anEvent({ kind: 'note.ended' })))
    assert.equal(response.status, 404)
    assert.deepEqual(asked, ['unknown'])
    assert.deepEqual(handled, [])
  }),

  check('refuses invalid ids, and does not call secretOf for them', async ({ post, asked, handled }) => {
    const malformed = [
      '',
      '%20',
      'a%20b',
      '..%2Facme',
      'acme%2F',
      '%252e%252e',
      '%00',
      '%0A',
      '%C3%A4',
      '%zz',
      'x'.repeat(129),
    ]
    for (const id of malformed) {
      const { status } = await post(id, await sign('acme', anEvent({ kind: 'note.ended' })))
      // A framework may refuse a malformed path itself.
      assert.ok(status === 404 || status === 400 || status === 414, `"${id}" got ${status}`)
    }
    assert.deepEqual({ asked, handled }, { asked: [], handled: [] })
  }),

  check('accepts a rotated secret at once', async ({ post, rotate }) => {
    assert.equal((await post('acme', await sign('acme', anEvent({ kind: 'note.ended' })))).status, 204)
    rotate('acme')
    assert.equal((await post('acme', await sign('acme', anEvent({ kind: 'note.ended' }), 2))).status, 204)
    assert.equal((await post('acme', await sign('acme', anEvent({ kind: 'note.ended' }), 1))).status, 401)
  }),
]

interface Stage {
  readonly post: (id: string, attempt: SignedAttempt) => Promise<Response>
  /** The ids with which the function `secretOf` was called. */
  readonly asked: readonly string[]
  readonly handled: readonly (readonly [integration: string, eventId: string])[]
  readonly rotate: (integration: string) => void
}

function check(name: string, body: (stage: Stage) => Promise<void>): AdapterCheckOfMany {
  return {
    name,
    run: async (mount) => {
      const asked: string[] = []
      const handled: [integration: string, eventId: string][] = []
      const rotated = new Set<string>()
      const receiver = createReceivers({
        secretOf: (integration) => {
          asked.push(integration)
          return integration === 'unknown' ? undefined : secretOf(integration, rotated.has(integration) ? 2 : 1)
        },
        on: { 'note.ended': ({ event_id }, { integration }) => void handled.push([integration, event_id]) },
        logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
      })
      const { url, close } = await mount(receiver)
      const post: Stage['post'] = (id, attempt) => fetch(`${url}/${id}`, { method: 'POST', ...attempt })
      try {
        await body({ post, asked, handled, rotate: (integration) => rotated.add(integration) })
      } finally {
        await close()
      }
    },
  }
}

function sign(integration: string, event: object, version = 1): Promise<SignedAttempt> {
  return signAttempt(secretOf(integration, version), event)
}

/** A valid secret for each integration and version. */
function secretOf(integration: string, version: number): string {
  return `whsec_${Buffer.from(`${version} ${integration}`.padEnd(32, '.')).toString('base64url')}`
}
