import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import { freePort, openPool, type Postgres, startPostgres } from 'notewire-test-servers'
import type { Pool } from 'pg'
import { build, type NextServer, start } from './next-server.ts'

const CRON_SECRET = 'a secret of the tests'
const TIMEOUT_MS = 120_000

let postgres: Postgres
let pool: Pool
let service: NotesService
let server: NextServer
let url: string

before(async () => {
  await build()
  postgres = await startPostgres()
  pool = openPool(postgres.url)
  await pool.query(await readFile(new URL('../schema.sql', import.meta.url), 'utf8'))
  service = await createNotesService({ owners: ['acme', 'globex'], notes: 3 })
  // Over a network, the first delivery arrives after the response with the secret.
  service.faults.inject({ delivery: 'endpoint.verification', fault: { kind: 'delayed', by: '3s' } })
  const { url: notesUrl } = await service.listen()
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  server = await start(port, { DATABASE_URL: postgres.url, NOTES_BASE_URL: notesUrl, PUBLIC_URL: url, CRON_SECRET })
})
after(async () => {
  await server?.[Symbol.asyncDispose]()
  await service?.close()
  await pool?.end()
  await postgres?.stop()
})

const acme = customer()
const globex = customer()

it('connects an account by its key, and its first delivery starts the first listing', async () => {
  await acme.submit({ apiKey: keyOf('acme') })
  await eventually(async () => (await acme.titles()).length === 3)
  assert.equal(service.deliveries.at(-1)?.status, 'delivered')
})

it('shows the account to no other customer', async () => {
  await globex.submit({ apiKey: keyOf('globex') })
  await eventually(async () => (await globex.titles()).length === 3)
  write('globex', 'A note of globex')
  await eventually(async () => (await globex.titles()).includes('A note of globex'))
  assert.equal((await acme.titles()).length, 3)
  assert.match(await customer().page(), /aria-label="API key"/)
})

it('shows a new note and its deletion without a cron', async () => {
  const note = write('acme', 'Zephyr')
  await eventually(async () => (await acme.titles()).includes('Zephyr'))
  note.delete()
  await eventually(async () => !(await acme.titles()).includes('Zephyr'))
})

it('lists the notes of an account by its cron while no delivery arrives', async () => {
  using _lost = service.faults.inject({ delivery: '*', fault: { kind: 'lost' } })
  const initech = customer()
  await initech.submit({ apiKey: service.createOwner({ name: 'initech' }).apiKey })
  await eventually(async () => {
    await runCron()
    return (await initech.titles()).length === 3
  })
  await initech.submit({})
})

it('rejects a cron request without its secret', async () => {
  assert.equal((await fetch(`${url}/cron`)).status, 401)
  assert.equal((await fetch(`${url}/cron`, { headers: { authorization: 'Bearer undefined' } })).status, 401)
})

it('shows markup in a title as text', async () => {
  write('acme', '<img src=x onerror=alert(1)>')
  await eventually(async () => (await acme.titles()).includes('&lt;img src=x onerror=alert(1)&gt;'))
})

it('rejects a form of another site', async () => {
  assert.equal(await acme.submit({}, 'https://attacker.example'), 500)
  assert.match(await acme.page(), /connected, events/)
})

it('rejects a key that the service rejects, or that another customer has connected', async () => {
  for (const apiKey of ['ntw_live_wrong.key', keyOf('acme')]) {
    const other = customer()
    await other.submit({ apiKey })
    assert.match(await other.page('/?refused'), /The service refused the key/)
  }
  assert.match(await acme.page(), /connected, events/)
})

it('erases the account of a customer who disconnects, and no other', async () => {
  await acme.submit({})
  assert.match(await acme.page(), /aria-label="API key"/)
  await runCron()
  assert.deepEqual(await rowsOf('notewire_integrations'), 1)
  assert.deepEqual(await rowsOf('notewire_mirror_notes'), 4)
  assert.deepEqual(await rowsOf('customers'), 1)
  assert.deepEqual(
    await new NotesClient({ baseUrl: service.baseUrl, apiKey: keyOf('acme') }).webhookEndpoints.list(),
    [],
  )
  assert.equal((await globex.titles()).length, 4)
})

it('never prints or shows a key or a secret', async () => {
  const { rows } = await pool.query('SELECT api_key, signing_secret FROM customers')
  const shown = server.output() + (await globex.page())
  for (const secret of rows.flatMap((row) => Object.values<string>(row))) assert.equal(shown.includes(secret), false)
})

async function runCron() {
  const response = await fetch(`${url}/cron`, { headers: { authorization: `Bearer ${CRON_SECRET}` } })
  assert.equal(response.status, 200)
  return await response.json()
}

/** A browser without JavaScript. */
function customer() {
  let cookie = ''
  const page = async (path = '/') => await (await fetch(`${url}${path}`, { headers: { cookie } })).text()
  return {
    page,
    async titles() {
      const html = await page()
      return [...html.matchAll(/<p>(.*?)<\/p>/g)].map(([, title]) => title ?? '')
    },
    /** Sends the form of the page. */
    async submit(fields: Readonly<Record<string, string>>, origin = url): Promise<number> {
      const body = new FormData()
      for (const [, name = ''] of (await page()).matchAll(/<input type="hidden" name="([^"]+)"/g)) body.append(name, '')
      for (const [name, value] of Object.entries(fields)) body.append(name, value)
      const response = await fetch(url, { method: 'POST', headers: { cookie, origin }, body, redirect: 'manual' })
      const [set] = response.headers.getSetCookie()
      if (set !== undefined) cookie = set.split(';')[0] ?? ''
      return response.status
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

async function rowsOf(table: string): Promise<number> {
  return (await pool.query(`SELECT count(*)::integer AS rows FROM ${table}`)).rows[0].rows
}

async function eventually(check: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = Date.now() + TIMEOUT_MS; !(await check()); await sleep(100)) {
    assert.ok(Date.now() < giveUpAt, `it has not happened within 120 s:\n${server.output()}`)
  }
}
