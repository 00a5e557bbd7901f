import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import { freePort, openPool, type Postgres, startPostgres } from 'notewire-test-servers'
import type { Pool } from 'pg'
import { type Browser, chromium, type Page } from 'playwright-core'

const TIMEOUT_MS = 120_000

let postgres: Postgres
let pool: Pool
let service: NotesService
let browser: Browser
let server: ChildProcess
let url: string
let printed = ''
let acme: Page
let globex: Page

before(async () => {
  postgres = await startPostgres()
  pool = openPool(postgres.url)
  service = await createNotesService({ owners: ['acme'], notes: 3 })
  service.createOwner({ name: 'globex' })
  // Over a network, the first delivery arrives after the response with the secret.
  service.faults.inject({ delivery: 'endpoint.verification', fault: { kind: 'delayed', by: '2s' } })
  const { url: notesUrl } = await service.listen()
  const port = await freePort()
  url = `http://localhost:${port}`
  const env = {
    ...process.env,
    DATABASE_URL: postgres.url,
    NOTES_BASE_URL: notesUrl,
    PUBLIC_URL: url,
    PORT: String(port),
  }
  server = start(env)
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (text) => (printed += text))
  await eventually(async () => (await fetch(url).catch(() => undefined))?.ok)
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
  browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] })
  ;[acme, globex] = [await customer(), await customer()]
})
after(async () => {
  await browser?.close()
  server?.kill('SIGKILL')
  await service?.close()
  await pool?.end()
  await postgres?.stop()
})

it('connects an account by its key, and registers and activates its endpoint', async () => {
  await connect(acme, keyOf('acme'))
  await eventually(async () => (await texts(acme)).length === 3)
  await connect(globex, keyOf('globex'))
  for (const page of [acme, globex]) await page.getByText('connected, events').waitFor()
  for (const { apiKey } of service.owners) {
    const { webhookEndpoints } = new NotesClient({ baseUrl: service.baseUrl, apiKey })
    await eventually(async () => (await webhookEndpoints.list()).map(({ status }) => status).join() === 'active')
  }
})

it('shows the account to no other customer', async () => {
  write('globex', 'A note of globex')
  await globex.getByText('A note of globex').waitFor()
  assert.equal((await texts(globex)).length, 4)
  assert.equal((await texts(acme)).length, 3)
})

it('shows a new note, its edits and its deletion while the page is open', async () => {
  const note = write('acme', 'Zephyr')
  await acme.getByText('Zephyr').waitFor()
  note.edit({ title: 'Sirocco' })
  await acme.getByText('Sirocco').waitFor()
  note.delete()
  await acme.getByText('Sirocco').waitFor({ state: 'detached' })
})

it('shows markup in a title as text', async () => {
  const title = '<img src=x onerror="document.body.id = 1"><script>document.body.id = 2</script>'
  write('acme', title)
  await acme.getByText(title).waitFor()
  assert.equal(await acme.locator('#notes img, #notes script').count(), 0)
  assert.equal(await acme.locator('body').getAttribute('id'), null)
})

it('ends with an error that names the variables if one is missing', async () => {
  const env = { ...process.env, DATABASE_URL: postgres.url, NOTES_BASE_URL: service.baseUrl, PUBLIC_URL: '' }
  const child = start(env)
  let errors = ''
  child.stderr?.on('data', (text) => (errors += text))
  const [code] = await once(child, 'close')
  assert.equal(code, 1)
  assert.match(errors, /Set DATABASE_URL, NOTES_BASE_URL and PUBLIC_URL/)
})

it('rejects a form of another site', async () => {
  const [cookie] = await acme.context().cookies()
  const { port } = new URL(url)
  // The browser sets this header. A request without it is rejected.
  for (const site of ['cross-site', 'same-site', 'none', undefined]) {
    const headers = { cookie: `session=${cookie?.value}`, ...(site && { 'sec-fetch-site': site }) }
    assert.equal((await fetch(`${url}/disconnect`, { method: 'POST', headers })).status, 403)
  }
  const attacker = await acme.context().newPage()
  await attacker.route('http://attacker.test/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="http://localhost:${port}/disconnect"><button>Win a prize</button></form>`,
    }),
  )
  await attacker.goto('http://attacker.test/')
  const answered = attacker.waitForResponse(`${url}/disconnect`)
  await attacker.getByRole('button').click()
  assert.equal((await answered).status(), 403)
  await attacker.close()
  assert.equal(await isConnected(acme), true)
})

it('rejects a key that the service rejects, and accepts the right key after it', async () => {
  const page = await customer()
  await connect(page, 'ntw_live_wrong.key')
  await page.getByText('The account was not connected').waitFor()
  await connect(page, service.createOwner({ name: 'initech' }).apiKey)
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await page.getByLabel('API key').waitFor()
  await page.context().close()
})

it('rejects a key that another customer has connected', async () => {
  const page = await customer()
  await connect(page, keyOf('acme'))
  await page.getByText('The account was not connected').waitFor()
  await page.context().close()
  assert.equal(await isConnected(acme), true)
})

it('erases the account of a customer who disconnects, and no other', async () => {
  await acme.getByRole('button', { name: 'Disconnect' }).click()
  await acme.getByLabel('API key').waitFor()
  assert.deepEqual(await texts(acme), [])
  await eventually(async () => (await count('notewire_integrations')) === 1)
  assert.equal(await count('customers'), 1)
  assert.equal(await count('notewire_mirror_notes'), 4)
  assert.equal(await count('notewire_mirror_content'), 4)
  const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: keyOf('acme') })
  assert.deepEqual(await client.webhookEndpoints.list(), [])
  assert.equal((await texts(globex)).length, 4)
})

it('connects the account again', async () => {
  await connect(acme, keyOf('acme'))
  await eventually(async () => (await texts(acme)).length === 4)
})

it('never prints or shows a key or a secret, and hides the cookie from scripts', async () => {
  const { rows } = await pool.query('SELECT api_key, signing_secret FROM customers')
  assert.equal(rows.length, 2)
  const shown = `${printed}${await acme.content()}${await globex.content()}`
  for (const secret of rows.flatMap((row) => Object.values<string>(row))) assert.equal(shown.includes(secret), false)
  assert.equal(await acme.evaluate('document.cookie'), '')
})

it('ends with 0 after SIGTERM', async () => {
  server.kill('SIGTERM')
  const [code] = await once(server, 'exit')
  assert.equal(code, 0, printed)
})

function start(env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, join(import.meta.dirname, '../src/server.ts')], { env })
}

async function customer(): Promise<Page> {
  const context = await browser.newContext()
  context.setDefaultTimeout(TIMEOUT_MS)
  const page = await context.newPage()
  await page.goto(url)
  return page
}

async function connect(page: Page, apiKey: string): Promise<void> {
  await page.getByLabel('API key').fill(apiKey)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
}

const texts = (page: Page) => page.locator('#notes li').allTextContents()
const isConnected = (page: Page) => page.getByText('connected, events').isVisible()

function ownerOf(name: string) {
  const owner = service.owners.find((each) => each.name === name)
  assert.ok(owner)
  return owner
}

const keyOf = (name: string) => ownerOf(name).apiKey
const write = (name: string, title: string) => ownerOf(name).record({ title }).end({ summary: false })

async function count(table: string): Promise<number> {
  return (await pool.query(`SELECT count(*)::integer AS rows FROM ${table}`)).rows[0].rows
}

async function eventually(check: () => Promise<boolean | undefined>): Promise<void> {
  for (const giveUpAt = Date.now() + TIMEOUT_MS; !(await check()); await sleep(50)) {
    assert.ok(Date.now() < giveUpAt, `it has not happened within 120 s:\n${printed}`)
  }
}
