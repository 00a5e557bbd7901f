import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { SECRET, type SignedDelivery, signDeliveries } from './deliveries.ts'

// Started as a process of its own. Signs deliveries and says the `{ secret }`; told the `{ ports }` of a receiver's instances,
// it warms them up and then delivers so many events to them, and answers `{ seconds, sent }`.
const EVENTS = Number(process.argv[2])
const WARM_UP = EVENTS / 4
const AT_ONCE = 64

process.on('disconnect', () => process.exit())
const requests = signDeliveries(WARM_UP + EVENTS, 330).map(requestOf)
process.on('message', async ({ ports }: { readonly ports: readonly number[] }) => {
  const sockets = Array.from({ length: AT_ONCE }, (_, index) => {
    const port = ports[index % ports.length] ?? 0
    return connect({ port, host: '127.0.0.1', noDelay: true })
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await deliver(requests.slice(0, WARM_UP), sockets)
  const began = performance.now()
  await deliver(requests.slice(WARM_UP), sockets)
  process.send?.({ seconds: (performance.now() - began) / 1000, sent: requests.length })
})
process.send?.({ secret: SECRET })

/** As bytes: a client of HTTP takes more time to send than a receiver to answer. */
function requestOf({ body, headers }: SignedDelivery): Buffer {
  const named = { host: 'localhost', 'content-type': 'application/json', 'content-length': body.length, ...headers }
  const lines = Object.entries(named).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\n${lines.join('')}\r\n`), body])
}

async function deliver(requests: readonly Buffer[], sockets: readonly Socket[]): Promise<void> {
  const waiting = requests.values()
  await Promise.all(
    sockets.map(async (socket) => {
      for (const request of waiting) await exchange(request, socket)
    }),
  )
}

function exchange(request: Buffer, socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const read = (bytes: Buffer) => {
      answer += bytes.toString('latin1')
      if (!answer.endsWith('\r\n\r\n')) return
      socket.off('data', read).off('error', reject)
      if (answer.startsWith('HTTP/1.1 204 ')) resolve()
      else reject(new Error(`answered ${answer.split('\r\n', 1)[0]}`))
    }
    socket.on('data', read).on('error', reject)
    socket.write(request)
  })
}
