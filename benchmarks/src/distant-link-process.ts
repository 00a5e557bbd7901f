import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

// Started as a process of its own: passes on what it is told to a port, and what that answers so many milliseconds later.
// Says `{ port }` when it listens.
const [port = 0, latencyMs = 0] = process.argv.slice(2).map(Number)

process.on('disconnect', () => process.exit())
const server = createServer({ noDelay: true }, (near) => {
  const far = connect({ port, host: '127.0.0.1', noDelay: true })
  near.on('data', (bytes) => far.write(bytes))
  far.on('data', (bytes) => setTimeout(() => near.write(bytes), latencyMs))
  endTogether(near, far)
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port })
})

function endTogether(near: Socket, far: Socket): void {
  near.on('error', () => undefined).on('close', () => far.destroy())
  far.on('error', () => undefined).on('close', () => near.destroy())
}
