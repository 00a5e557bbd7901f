import { afterAll, beforeAll } from 'vitest'
import { nodeFetch } from './node-fetch.ts'

// The tests of requests over sockets once more, with `nodeFetch` in place of the `fetch` of Node.js.
const { fetch } = globalThis
beforeAll(() => {
  globalThis.fetch = (input, init) => nodeFetch(new Request(input, init))
})
afterAll(() => {
  globalThis.fetch = fetch
})

await import('./transport/lying-servers.test.ts')
await import('./transport/refusal.test.ts')
await import('./transport/transport.test.ts')
await import('./webhook-endpoints.test.ts')
