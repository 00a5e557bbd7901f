import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface Front {
  readonly url: string
  close(): Promise<void>
}

/** Starts a server that passes its requests on, as a load balancer or a proxy does. If `answer` rejects, the connection breaks. */
export async function startFront(answer: (request: Request) => Promise<Response>): Promise<Front> {
  const server = createServer(async (incoming, outgoing) => {
    try {
      const { method = 'POST', url = '/', headers } = incoming
      const received = await buffer(incoming)
      const body = received.length === 0 ? null : received
      const request = new Request(`http://front${url}`, { method, headers: headers as Record<string, string>, body })
      const response = await answer(request)
      const sent = Buffer.from(await response.arrayBuffer())
      outgoing.writeHead(response.status, endToEnd(response.headers)).end(sent)
    } catch {
      outgoing.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The headers without those of one connection. */
function endToEnd(headers: Headers): Record<string, string> {
  const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])
  return Object.fromEntries([...headers].filter(([name]) => !ofConnection.has(name)))
}
