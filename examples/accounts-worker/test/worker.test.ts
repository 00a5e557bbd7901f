import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import { type Deployment, deploy } from './deployment.ts'

const TIMEOUT_MS = 120_000

let persisted: string
let service: NotesService
let worker: Deployment

before(async () => {
  persisted = await mkdtemp(join(tmpdir(), 'notes-accounts-'))
  service = await createNotesService({ owners: ['acme', 'globex'], notes: 3 })
  // Over a network, the first delivery arrives after the response with the secret.
  service.faults.inject({ delivery: 'endpoint.verification', fault: { kind: 'delayed', by: '2s' } })
  worker = await deploy(persisted, { NOTES_BASE_URL: (await service.listen()).url })
})
after(async () => {
  await worker?.[Symbol.asyncDispose]()
  await service?.close()
  await rm(persisted, { recursive: true })
})

const acme = customer()
const globex = customer()

it('connects an account by its key, lists its notes, and activates its endpoint', async () => {
  await acme.page()
  // The form is sent twice.
  const answers = await Promise.all([1, 2].map(() => acme.post({ apiKey: keyOf('acme') })))
  assert.deepEqual(answers, [303, 303])
  await eventually(async () => (await acme.titles()).length === 3)
  await eventually(async () => service.deliveries[0]?.status === 'delivered')
})

it('shows the account to no other customer', async () => {
  assert.match(await globex.page(), /API key/)
  assert.equal(await globex.post({ apiKey: keyOf('globex') }), 303)
  await eventually(async () => (await globex.titles()).length === 3)
  await eventually(async () => service.deliveries[1]?.status === 'delivered')
  write('globex', 'A note of globex')
  await eventually(async () => (await globex.titles()).includes('A note of globex'))
  assert.equal((await acme.titles()).length, 3)
})

it('shows a new note, its edits and its deletion', async () => {
  const note = write('acme', 'Zephyr')
  await eventually(async () => (await acme.titles()).includes('Zephyr'))
  note.edit({ title: 'Sirocco' })
  await eventually(async () => (await acme.titles()).includes('Sirocco'))
  note.delete()
  await eventually(async () => !(await acme.titles()).includes('Sirocco'))
})

it('wakes no object for a forged delivery', async () => {
  const [{ id } = { id: '' }] = await worker.registry('SELECT id FROM accounts')
  for (const integration of [id, 'unknown', '']) {
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': `${Math.floor(Date.now() / 1000)}`,
      'webhook-signature': 'v1,forged',
    }
    const url = new URL(`/webhooks/notes/${integration}`, worker.url)
    const { status } = await fetch(url, { method: 'POST', headers, body: '{}' })
    assert.equal(status, integration === id ? 401 : 404)
  }
  assert.equal((await databases()).length, 2)
})

it('shows markup in a title as text', async () => {
  write('acme', '<img src=x onerror=alert(1)>')
  await eventually(async () => (await acme.titles()).includes('&#60;img src=x onerror=alert(1)&#62;'))
})

it('rejects a form of another site', async () => {
  for (const site of ['cross-site', 'same-site', 'none', '']) assert.equal(await acme.post({}, site), 403)
  assert.match(await acme.page(), /connected, events/)
})

it('rejects a key that the service rejects, and accepts the right key after it', async () => {
  const other = customer()
  assert.equal(await other.post({ apiKey: 'ntw_live_wrong.key' }), 422)
  assert.equal(await other.post({ apiKey: service.createOwner({ name: 'initech' }).apiKey }), 303)
  await eventually(async () => (await other.titles()).length === 3)
  assert.equal(await other.post({}), 303)
})

it('rejects a key that another customer has connected', async () => {
  assert.equal(await customer().post({ apiKey: keyOf('acme') }), 422)
  assert.match(await acme.page(), /connected, events/)
})

it('never prints or shows a key or a secret', async () => {
  const secrets = await worker.registry('SELECT signing_secret FROM accounts')
  assert.equal(secrets.length, 2)
  const shown = worker.printed() + (await acme.page()) + (await globex.page())
  const all = [keyOf('acme'), keyOf('globex'), ...secrets.map(({ signing_secret = '' }) => signing_secret)]
  for (const secret of all) assert.equal(shown.includes(secret), false)
})

it('erases the account of a customer who disconnects, and no other', async () => {
  assert.equal(await acme.post({}), 303)
  assert.match(await acme.page(), /API key/)
  assert.deepEqual(
    await new NotesClient({ baseUrl: service.baseUrl, apiKey: keyOf('acme') }).webhookEndpoints.list(),
    [],
  )
  assert.equal((await worker.registry('SELECT id FROM accounts')).length, 1)
  assert.equal((await globex.titles()).length, 4)
  const tables = (await databases()).map((path) => tablesIn(path))
  assert.equal(tables.filter((names) => names.includes('notewire_mirror_notes')).length, 1)
})

it('connects the account again', async () => {
  assert.equal(await acme.post({ apiKey: keyOf('acme') }), 303)
  await eventually(async () => (await acme.titles()).length === 4)
})

/** A browser without JavaScript. */
function customer() {
  let cookie = ''
  const send = async (init: RequestInit = {}) => {
    const headers = { cookie, ...init.headers }
    const response = await fetch(worker.url, { ...init, headers, redirect: 'manual' })
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    return response
  }
  const page = async () => await (await send()).text()
  return {
    page,
    titles: async () => [...(await page()).matchAll(/<li>([^<]*)/g)].map(([, title = '']) => title),
    async post(fields: Record<string, string>, site = 'same-origin'): Promise<number> {
      const headers = { 'sec-fetch-site': site }
      return (await send({ method: 'POST', headers, body: new URLSearchParams(fields) })).status
    },
  }
}

function ownerOf(name: string) {
  const owner = service.owners.find((each) => each.name === name)
  assert.ok(owner)
  return owner
}

function keyOf(name: string): string {
  return ownerOf(name).apiKey
}

function write(name: string, title: string) {
  return ownerOf(name).record({ title }).end({ summary: false })
}

/** The databases of objects that have stored data. */
async function databases(): Promise<readonly string[]> {
  const files = await readdir(persisted, { recursive: true })
  return files
    .filter((file) => file.endsWith('.sqlite') && !file.includes('metadata'))
    .map((file) => join(persisted, file))
}

function tablesIn(path: string): readonly string[] {
  const database = new DatabaseSync(path)
  const rows = database.prepare('SELECT name FROM sqlite_master').all()
  database.close()
  return rows.map(({ name }) => String(name))
}

async function eventually(check: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = Date.now() + TIMEOUT_MS; !(await check()); await sleep(100)) {
    assert.ok(Date.now() < giveUpAt, `it has not happened within 120 s:\n${worker.printed()}`)
  }
}
