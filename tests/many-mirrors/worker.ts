// A process with the mirrors of several integrations. A crew starts and kills it.

import { once } from 'node:events'
import { createServer } from 'node:http'
import { createMirrors } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { systemClock } from '@notewire/protocol'
import { nodeHandler } from '@notewire/webhooks/node'
import { SILENT } from '../../packages/mirror/fixtures/silent-logger.ts'
import { openPool } from '../servers/test-databases.ts'
import { clockAhead } from './clock-ahead.ts'
import { applyToTitles } from './titles-table.ts'
import type { ManySettings } from './worker-settings.ts'

const { place, baseUrl, keys, aheadMs }: ManySettings = JSON.parse(process.env['WORKER_SETTINGS'] ?? '')
const signal = new AbortController().signal

const pool = openPool(place, { max: 8 })
const mirrors = createMirrors({
  store: { ...postgresMirror(pool), clock: clockAhead(aheadMs) },
  logger: SILENT,
  pollEveryMs: 400,
  fullListingEveryMs: 2_000,
  connect: (integration) => ({ baseUrl, apiKey: keys[integration] ?? '', timeoutMs: 2_000 }),
})
const receivers = mirrors.receivers({
  clock: systemClock,
  async secretOf(integration) {
    const { rows } = await pool.query('SELECT secret FROM secrets WHERE integration = $1', [integration])
    return rows[0]?.secret ?? ''
  },
  logger: SILENT,
})
const integrationOf = ({ url = '' }: { url?: string | undefined }) => url.split('/').at(-1) ?? ''
const server = createServer(nodeHandler(receivers, { integrationOf }))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('the machine gave no port')
process.on('disconnect', () => process.exit())
process.send?.({ port: address.port })

const indexes = Object.keys(keys).map((integration) =>
  mirrors.of(integration).consume({ name: 'titles', signal, apply: applyToTitles(pool, integration) }),
)
await Promise.all([...indexes, mirrors.run({ signal })])
