import { createServer, type RequestListener } from 'node:http'
import { createReceiver } from '@notewire/webhooks'
import { expressHandler } from '@notewire/webhooks/express'
import { nodeHandler } from '@notewire/webhooks/node'
import express from 'express'
import { Webhook } from 'standardwebhooks'

// Started as a process of its own, so that its processor time is nobody else's. Says `{ port }` when it listens, and
// answers any message with the processor time it has used, in microseconds.
const [framework = '', variant = '', secret = ''] = process.argv.slice(2)

const server = createServer(listenerOf(framework, variant, secret)).listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') process.send?.({ port: address?.port })
})
process.on('disconnect', () => process.exit())
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpu: user + system })
})

function listenerOf(framework: string, variant: string, secret: string): RequestListener {
  switch (`${framework} ${variant}`) {
    case 'Express bare':
      return express().post('/', express.json(), (request, response) => {
        response.status(typeof request.body.event_id === 'string' ? 204 : 400).end()
      })
    case 'Express hand-written': {
      const accept = handWritten(secret)
      return express().post('/', express.raw({ type: '*/*' }), (request, response) => {
        response.status(accept(request.body, request.headers) ? 204 : 401).end()
      })
    }
    case 'Express notewire':
      return express().post('/', expressHandler(receiver(secret)))
    case 'node:http bare':
      return withBody((body, _headers) => (typeof JSON.parse(body.toString()).event_id === 'string' ? 204 : 400))
    case 'node:http hand-written': {
      const accept = handWritten(secret)
      return withBody((body, headers) => (accept(body, headers) ? 204 : 401))
    }
    case 'node:http notewire':
      return nodeHandler(receiver(secret))
    default:
      throw new Error(`nobody is called ${framework} ${variant}`)
  }
}

function receiver(secret: string) {
  return createReceiver({ secret, on: { 'note.updated': () => undefined } })
}

/** What one writes by hand: the official library, and a Map that remembers events. No order, no leases. */
function handWritten(secret: string) {
  const webhook = new Webhook(secret)
  const seen = new Map<string, number>()
  return (body: Buffer, headers: NodeJS.Dict<string | string[]>): boolean => {
    try {
      const event = webhook.verify(body, headers as Record<string, string>) as { event_id: string }
      if (!seen.has(event.event_id)) seen.set(event.event_id, Date.now())
      return true
    } catch {
      return false
    }
  }
}

function withBody(answer: (body: Buffer, headers: NodeJS.Dict<string | string[]>) => number): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => response.writeHead(answer(Buffer.concat(chunks), request.headers)).end())
  }
}
