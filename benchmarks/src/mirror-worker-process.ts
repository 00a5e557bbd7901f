import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import { createMirror, createMirrors, type MirrorReader, type MirrorStore } from '@notewire/mirror'
import { nodeHandler } from '@notewire/webhooks/node'
import { openStore, type StorePlace } from './mirror-stores.ts'

// Runs as a separate process: keeps the mirror of one account up to date, and receives its events. Sends `{ url }` of its receiver, and
// executes these orders:
// - `{ noteId, revision }`: answers `{ ms }`, from the arrival of the next event until the note is visible at the revision with its content
// - `'copied'`: answers how many notes have their content
const [variant = '', kind = '', at = '', baseUrl = '', apiKey = '', secret = ''] = process.argv.slice(2)

export type Order = 'copied' | { readonly noteId: string; readonly revision: number }

/** The mirror of one account, by `createMirror` or `createMirrors`. */
interface Worker {
  readonly reader: MirrorReader
  readonly handle: RequestListener
  run(): Promise<void>
}

const INTEGRATION = 'account'
const { signal } = new AbortController()
const { store } = await openStore({ kind: kind as StorePlace['kind'], at })
const { reader, handle, run } = variant === 'createMirror' ? oneMirror(store) : await manyMirrors(store)

let arrivedAt = Number.NaN
const server = createServer((request, response) => {
  arrivedAt = performance.now()
  handle(request, response)
})
process.on('disconnect', () => process.exit())
process.on('message', async (order: Order) => process.send?.(await execute(order)))
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
await run()

function oneMirror(store: MirrorStore): Worker {
  const mirror = createMirror({ client: new NotesClient({ baseUrl, apiKey }), store, integration: INTEGRATION })
  return { reader: mirror, handle: nodeHandler(mirror.receiver({ secret })), run: () => mirror.run({ signal }) }
}

async function manyMirrors(store: MirrorStore): Promise<Worker> {
  const mirrors = createMirrors({ store, connect: () => ({ baseUrl, apiKey }) })
  await mirrors.add(INTEGRATION)
  const receivers = mirrors.receivers({ secretOf: (_integration) => secret })
  return {
    reader: mirrors.of(INTEGRATION),
    handle: nodeHandler(receivers, { integrationOf: () => INTEGRATION }),
    run: () => mirrors.run({ signal }),
  }
}

async function execute(order: Order): Promise<object> {
  if (order === 'copied') {
    const { live, dirty, unsettled } = (await reader.status()).notes
    return { copied: live - dirty - unsettled }
  }
  arrivedAt = Number.NaN
  while (!(await isVisible(order))) await sleep(1)
  return { ms: performance.now() - arrivedAt }
}

async function isVisible({ noteId, revision }: Exclude<Order, 'copied'>): Promise<boolean> {
  const found = await reader.get(noteId)
  return found?.isSettled === true && (found.transcript?.revision ?? 0) >= revision
}
