import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { nodeHandler } from '@notewire/webhooks/node'
import { TitleIndex } from '../src/title-index.ts'

test('the index is updated over sockets, in both directions', async () => {
  await using service = await createNotesService({ notes: 60 })
  const { url } = await service.listen()
  const client = new NotesClient({ baseUrl: url, apiKey: service.apiKey })
  const index = new TitleIndex(client)
  await index.build()
  expect(index.titles).toHaveLength(60)

  let secret: string | undefined
  const server = createServer(nodeHandler(index.receiver({ secret: () => secret }))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const endpoint = await client.webhookEndpoints.create({
    url: `http://127.0.0.1:${port}/`,
    events: ['note.ended'],
  })
  secret = endpoint.signing_secret
  // The first verification may have arrived before the line above. When the URL is set again, the service sends another.
  await client.webhookEndpoints.update(endpoint.endpoint_id, { url: endpoint.url ?? '' })
  await client.webhookEndpoints.waitUntilActive(endpoint.endpoint_id, { timeoutMs: 60_000 })

  service.owner.record({ title: 'Stand-up' }).end({ summary: false })
  await service.settled()
  expect(index.titles).toHaveLength(61)
  expect(index.titles).toContain('Stand-up')
  server.close()
})
