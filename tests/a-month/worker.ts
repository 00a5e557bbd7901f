// A process of the application. A crew starts and kills it.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { json } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { plantPatches } from '../simulation/plant.ts'
import { type ApplicationSettings, type GivenCommand, TIME_HEADER } from './application-settings.ts'
import { patchesOf } from './planted-bugs.ts'

const settings: ApplicationSettings = JSON.parse(process.env['WORKER_SETTINGS'] ?? '')
if (settings.bug !== undefined) plantPatches(patchesOf(settings.bug))
// The next process starts in less time.
enableCompileCache()
// Loaded when the bug is planted.
const [{ openApplication }, { nodeHandler }] = await Promise.all([
  import('./application.ts'),
  import('@notewire/webhooks/node'),
])

// Not at the exit, because a killed process has none.
flushCompileCache()

const { receivers, carryOut, setTime } = await openApplication(settings)
const receive = nodeHandler(receivers, { integrationOf: ({ url = '' }) => url.split('/').at(-1) })
const server = createServer((request, response) => {
  setTime(Number(request.headers[TIME_HEADER]))
  if (request.url === '/do') void obey(request, response)
  else receive(request, response)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('the machine gave no port')
process.on('disconnect', () => process.exit())
process.send?.({ port: address.port })

async function obey(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await carryOut((await json(request)) as GivenCommand)
    response.writeHead(204).end()
  } catch (error) {
    response.writeHead(500).end(inspect(error))
  }
}
