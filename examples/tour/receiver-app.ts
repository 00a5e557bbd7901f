import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Mirror } from '@notewire/mirror'
import type { SecretSource } from '@notewire/webhooks'
import { expressHandler } from '@notewire/webhooks/express'
import express from 'express'

interface DeliveryCounts {
  stored: number
  rejected: number
}

/** The receiver of a mirror in an Express application that listens on a port. */
export interface RunningReceiver extends AsyncDisposable {
  readonly url: string
  readonly deliveries: Readonly<DeliveryCounts>
  /** Whether it is down. It then answers 502, like a proxy. */
  isDown: boolean
}

export async function startReceiver(mirror: Mirror, secret: SecretSource): Promise<RunningReceiver> {
  const deliveries: DeliveryCounts = { stored: 0, rejected: 0 }
  const receiver = mirror.receiver({
    secret,
    hooks: {
      onOutcome: ({ status }) => {
        if (status === 'applied') deliveries.stored += 1
      },
    },
    // The tour prints its own messages. An application keeps the default, the console.
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
  })

  const app = express()
  app.use((_request, response, next) => {
    if (!running.isDown) return next()
    deliveries.rejected += 1
    response.sendStatus(502)
  })
  app.post('/webhooks/notes', expressHandler(receiver))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const running = {
    url: `http://127.0.0.1:${port}/webhooks/notes`,
    deliveries,
    isDown: false,
    async [Symbol.asyncDispose]() {
      await receiver.close()
      server.close()
      server.closeAllConnections()
    },
  }
  return running
}
