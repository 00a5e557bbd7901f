// One process that keeps the mirror: `crew.ts` starts it, and kills it.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { nodeHandler } from '@notewire/webhooks/node'
import { SILENT } from '../../packages/mirror/fixtures/silent-logger.ts'
import { openStore } from './open-store.ts'
import type { WorkerReport, WorkerSettings } from './worker-settings.ts'

const settings: WorkerSettings = JSON.parse(process.env['WORKER_SETTINGS'] ?? '')
const { baseUrl, apiKey, secret } = settings
const { store } = await openStore(settings)
const client = new NotesClient({ baseUrl, apiKey, timeoutMs: 2_000 })
const mirror = createMirror({ client, store, pollEveryMs: 400, fullListingEveryMs: 2_000, logger: SILENT })
const server = createServer(nodeHandler(mirror.receiver({ secret, logger: SILENT })))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('the machine gave no port')
// The parent process has ended.
process.on('disconnect', () => process.exit())
process.send?.({ port: address.port } satisfies WorkerReport)
await mirror.run({ signal: new AbortController().signal })
