import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { expect, it } from 'vitest'
import { createMirror, type Mirror } from './index.ts'
import { sqliteMirror } from './stores/sqlite/index.ts'

const SECRET = 'whsec_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hLXRlc3Q'
const service = await createNotesService()
const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch })
const file = () => join(tmpdir(), `notewire-never-${crypto.randomUUID()}.db`)

/** A mirror in a process of its own: nothing is shared but the file. */
function processOn(path: string) {
  const lines: string[] = []
  const write = (message: string, fields: object = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const logger = { info: write, warn: write, error: write }
  return { lines, mirror: createMirror({ client, store: sqliteMirror(path), logger }) }
}

async function deliver(mirror: Mirror): Promise<void> {
  const receiver = mirror.receiver({ secret: SECRET })
  const attempt = await signAttempt(SECRET, anEvent({ kind: 'note.updated' }))
  const response = await receiver.fetch(new Request('https://app.example/hooks', { method: 'POST', ...attempt }))
  expect(response.status).toBe(204)
}

it('a receiver whose file no process syncs logs it, once', async () => {
  const receiving = processOn(file())
  await processOn(file()).mirror.sync()
  await deliver(receiving.mirror)
  await deliver(receiving.mirror)
  expect(receiving.lines).toEqual([expect.stringMatching(/no process has synced yet.*absolute path.*never_synced/)])
})

it('a receiver on the file of the process that syncs logs nothing', async () => {
  const path = file()
  await processOn(path).mirror.sync()
  const receiving = processOn(path)
  await deliver(receiving.mirror)
  expect(receiving.lines).toEqual([])
})

it('a process that syncs by itself logs nothing', async () => {
  const { mirror, lines } = processOn(file())
  const syncing = mirror.sync()
  await deliver(mirror)
  await syncing
  expect(lines).toEqual([])
})
