import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createNotesService } from '@notewire/mock-server'

// Started as a process of its own: a service of so many notes that answers so many milliseconds after it was asked. Says
// `{ baseUrl, apiKey }` when it listens.
const [notes, latencyMs] = process.argv.slice(2).map(Number)

process.on('disconnect', () => process.exit())
const service = await createNotesService({ notes })
const server = createServer(async ({ url = '', headers }, response) => {
  const latency = sleep(latencyMs)
  const { authorization = '' } = headers
  const answer = await service.fetch(new Request(new URL(url, service.baseUrl), { headers: { authorization } }))
  const body = await answer.text()
  await latency
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ baseUrl: `http://127.0.0.1:${port}`, apiKey: service.apiKey })
})
