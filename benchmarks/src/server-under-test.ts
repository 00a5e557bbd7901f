import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '@notewire/protocol'
import { createReceiver, memoryStore, type ReceiverOptions } from '@notewire/webhooks'
import { expressHandler } from '@notewire/webhooks/express'
import { fastifyPlugin } from '@notewire/webhooks/fastify'
import { nodeHandler } from '@notewire/webhooks/node'
import type { ReceiverStore } from '@notewire/webhooks/store'
import express from 'express'
import { type FastifyInstance, fastify } from 'fastify'
import { Webhook } from 'standardwebhooks'

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

// Runs as a separate process. Sends `{ port }` when it listens, and answers any message with the processor time that it
// has used, in microseconds.
const [framework = '', variant = '', secret = '', handling = ''] = process.argv.slice(2)
const handle = handling === 'synchronous' ? () => undefined : later

process.on('disconnect', () => process.exit())
const server = createServer(await listenerOf(framework, variant, secret)).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
})
// Long, so that a sender that gets no processor time for a while can still use its connections.
server.keepAliveTimeout = 60_000
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpu: user + system })
})

async function listenerOf(framework: string, variant: string, secret: string): Promise<RequestListener> {
  switch (`${framework} ${variant}`) {
    case 'node:http bare':
      return withBody((body, _headers) => (typeof JSON.parse(body.toString()).event_id === 'string' ? 204 : 400))
    case 'node:http hand-written': {
      const accept = handWritten(secret)
      return withBody(async (body, headers) => ((await accept(body, headers)) ? 204 : 401))
    }
    case 'node:http notewire':
      return nodeHandler(receiver(secret))
    case 'node:http quiet':
      return nodeHandler(receiver(secret, { logger: quiet }))
    case 'node:http examining':
      return nodeHandler(receiver(secret, { logger: quiet, clock: fastClock() }))
    case 'node:http slow-store':
      return nodeHandler(receiver(secret, { logger: quiet, store: slowStore() }))
    case 'Express bare':
      return express().post('/', express.json(), (request, response) => {
        response.status(typeof request.body.event_id === 'string' ? 204 : 400).end()
      })
    case 'Express hand-written': {
      const accept = handWritten(secret)
      return express().post('/', express.raw({ type: '*/*' }), async (request, response) => {
        response.status((await accept(request.body, request.headers)) ? 204 : 401).end()
      })
    }
    case 'Express notewire':
      return express().post('/', expressHandler(receiver(secret)))
    case 'Fastify bare':
      return ready(
        fastify().post<{ Body: { event_id?: unknown } }>('/', (request, reply) => {
          reply.code(typeof request.body.event_id === 'string' ? 204 : 400).send()
        }),
      )
    case 'Fastify hand-written': {
      const accept = handWritten(secret)
      const app = fastify()
      app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
      return ready(
        app.post<{ Body: Buffer }>('/', async (request, reply) => {
          await reply.code((await accept(request.body, request.headers)) ? 204 : 401).send()
        }),
      )
    }
    case 'Fastify notewire': {
      const app = fastify()
      app.register(fastifyPlugin, { receiver: receiver(secret), url: '/' })
      return ready(app)
    }
    default:
      throw new Error(`unknown server ${framework} ${variant}`)
  }
}

function receiver(secret: string, options: Partial<ReceiverOptions> = {}) {
  return createReceiver({ secret, on: { 'note.updated': handle }, ...options })
}

/** A store in memory that answers each operation after 50 ms. */
function slowStore(): ReceiverStore {
  const store = memoryStore()
  return {
    claim: async (request) => sleep(50, await store.claim(request)),
    renew: async (claim, leaseMs) => sleep(50, await store.renew(claim, leaseMs)),
    commit: async (claim) => sleep(50, await store.commit(claim)),
    release: async (claim) => sleep(50, await store.release(claim)),
    forget: async (integration, eventId) => sleep(50, await store.forget(integration, eventId)),
    prune: async () => sleep(50, await store.prune()),
  }
}

/** A clock that advances by a second with each reading, so that no limit per second applies. */
function fastClock() {
  let elapsedMs = 0
  const monotonic = () => {
    elapsedMs += 1_000
    return elapsedMs
  }
  return { ...systemClock, monotonic }
}

/** What every real handler does: it waits for something that happens in a later turn. */
function later(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Hand-written code: the official library, and a Map of processed events. No order, no leases. */
function handWritten(secret: string) {
  const webhook = new Webhook(secret)
  const seen = new Map<string, number>()
  return async (body: Buffer, headers: NodeJS.Dict<string | string[]>): Promise<boolean> => {
    try {
      const event = webhook.verify(body, headers as Record<string, string>) as { event_id: string }
      if (seen.has(event.event_id)) return true
      await handle()
      seen.set(event.event_id, Date.now())
      return true
    } catch {
      return false
    }
  }
}

type Answer = (body: Buffer, headers: NodeJS.Dict<string | string[]>) => number | Promise<number>

function withBody(answer: Answer): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', async () => response.writeHead(await answer(Buffer.concat(chunks), request.headers)).end())
  }
}

async function ready(app: FastifyInstance): Promise<RequestListener> {
  await app.ready()
  return app.routing
}
