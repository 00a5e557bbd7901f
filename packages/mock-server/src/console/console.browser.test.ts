import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openWindow, startChromium } from '../../fixtures/browser.ts'
import { call } from '../../fixtures/call.ts'
import { anInbox, type Inbox, toNotes } from '../../fixtures/inbox.ts'
import { startReceiver } from '../../fixtures/receiver-port.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'

/** For what another side does in its own time. */
const PATIENCE = { timeout: 60_000 }

let browser: Browser
let service: NotesService
let inbox: Inbox
let receiver: Awaited<ReturnType<typeof startReceiver>>
let context: BrowserContext
let page: Page
/** What the browser complained of, and what it asked of others: nothing, in every test. */
let complaints: string[]

beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser.close())

beforeEach(async () => {
  service = await createNotesService({ clock: 'virtual', seed: 7 })
  inbox = anInbox()
  receiver = await startReceiver(inbox.open(''))
  await service.listen()
  context = await openWindow(browser)
  page = await context.newPage()
  complaints = complaintsOf(page)
})
afterEach(async () => {
  await context.close()
  await service.close()
  await receiver.close()
  expect(complaints).toEqual([])
})

describe('an endpoint', () => {
  it('is registered, verified, and its secret shown once (§2)', async () => {
    await visit('/console')
    await page.getByRole('link', { name: 'Register an endpoint' }).click()
    await page.getByLabel('URL').fill(receiver.url)
    await page.getByLabel('note.updated').uncheck()
    await page.getByRole('button', { name: 'Register an endpoint' }).click()
    expect(await page.locator('#secret').textContent()).toMatch(/^whsec_[\w-]{43}$/)

    await page.reload()
    expect(await heading()).toBe('Already shown')
    complaints = complaints.filter((complaint) => !complaint.includes('410'))

    await visit('/console/endpoints')
    await page.getByText('active').waitFor()
    await page.getByText('note.ended, note.summary.generated, note.deleted').waitFor()
    expect(inbox.received.map(({ event }) => event.event_type)).toEqual(['endpoint.verification'])
  })

  it('is sent a test (§4)', async () => {
    await registered()
    await visit('/console/endpoints')
    await page.getByRole('link', { name: receiver.url }).click()
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByRole('link', { name: 'endpoint.test' }).waitFor()
    await expect.poll(() => inbox.received.at(-1)?.event.event_type, PATIENCE).toBe('endpoint.test')
  })

  it('gets a new secret, and deliveries with both signatures', async () => {
    const { endpoint_id, signing_secret } = await registered()
    await visit(`/console/endpoints/${endpoint_id}`)
    await page.getByRole('button', { name: 'Rotate the signing secret' }).click()
    const rotated = await page.locator('#secret').textContent()
    expect(rotated).toMatch(/^whsec_/)
    expect(rotated).not.toBe(signing_secret)

    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.getByRole('button', { name: 'Send test' }).click()
    await expect.poll(() => inbox.received.at(-1)?.headers['webhook-signature'], PATIENCE).toMatch(/^v1,\S+ v1,\S+$/)
  })

  it('is changed, and deleted on the second press', async () => {
    const { endpoint_id } = await registered()
    await visit(`/console/endpoints/${endpoint_id}`)
    await page.getByLabel('note.ended').uncheck()
    await page.getByRole('button', { name: 'Change the endpoint' }).click()
    const { body } = await call<{ events: string[]; status: string }>(
      service,
      `GET /v1/webhook-endpoints/${endpoint_id}`,
    )
    expect(body).toMatchObject({ events: ['note.summary.generated', 'note.updated', 'note.deleted'], status: 'active' })

    await service.settled()
    expect(inbox.received.map(({ event }) => event.event_type)).toEqual(['endpoint.verification'])

    await page.getByText('Delete the endpoint …').click()
    await page.getByRole('button', { name: 'Delete the endpoint' }).click()
    await page.getByText('No endpoints yet').waitFor()
  })

  it('is refused with the reason that the API gives', async () => {
    await visit('/console/endpoints')
    await page.getByLabel('URL').fill('ftp://127.0.0.1/hooks')
    await page.getByRole('button', { name: 'Register an endpoint' }).click()
    expect(await heading()).toBe('Request refused')
    await page.getByText('must be an absolute https URL').waitFor()
    complaints = complaints.filter((complaint) => !complaint.includes('422'))
  })
})

describe('a key', () => {
  it('is issued for a channel with scopes, shown once, and revoked: by keyboard alone (§2)', async () => {
    await visit('/console/integrations')
    await tabTo('Name')
    await page.keyboard.type('Design')
    await page.keyboard.press('Enter')
    await page.getByLabel('Design').waitFor()
    await tabTo('Design')
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Design' }).waitFor()
    for (const scope of ['notes:read', 'summaries:read']) {
      await tabTo(scope)
      await page.keyboard.press('Space')
    }
    await page.keyboard.press('Enter')
    const key = (await page.locator('#secret').textContent()) ?? ''
    expect(key).toMatch(/^ntw_live_\w+\.\w+$/)
    expect((await call(service, 'GET /v1/notes', { key })).status).toBe(200)
    expect((await call(service, 'GET /v1/notes/note_1/transcript', { key })).status).toBe(403)

    await page.getByRole('link', { name: 'I have copied it' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Revoke an API key …').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('main', { hasNotText: 'Revoke' }).waitFor()
    expect((await call(service, 'GET /v1/notes', { key })).status).toBe(401)
  })
})

describe('deliveries', () => {
  it('appear by themselves', async () => {
    await registered()
    await visit('/console/deliveries')
    await page.evaluate('window.isTheSame = true')
    service.owner.record().end()
    await service.settled()
    await page.getByRole('link', { name: 'note.summary.generated' }).waitFor()
    expect(await page.evaluate('window.isTheSame')).toBe(true)
  })

  it('show each attempt with request, answer and timing, and go on doing so where one looks', async () => {
    inbox.answer = toNotes(() =>
      Response.json({ error: 'the database is locked' }, { status: 503, headers: { 'x-worker': '3' } }),
    )
    await registered()
    service.owner.record().end({ summary: false })
    await service.clock.advance('31s')
    await visit('/console/deliveries')
    await page.getByRole('link', { name: 'note.ended' }).click()
    const second = page.locator('#attempt-2')
    await second.locator('summary').click()
    await second.getByText('the database is locked').waitFor()
    await second.getByText('x-worker').waitFor()
    await second.getByText('webhook-signature', { exact: true }).waitFor()
    await page.getByText('30 s after the previous attempt').waitFor()
    await page.getByText('Attempt 3 leaves at').waitFor()
    await second.locator('#attempt-2-curl-copy').focus()

    await service.clock.advance('5m')
    await page.getByText('Attempt 4 leaves at').waitFor()
    expect(await second.getAttribute('open')).not.toBeNull()
    expect(await page.evaluate('document.activeElement.id')).toBe('attempt-2-curl-copy')
    await page.getByRole('img', { name: '3 of 7 attempts, 3 without success' }).waitFor()
  })

  it('give the curl of an attempt, to be copied', async () => {
    await registered()
    service.owner.record().end({ summary: false })
    await service.settled()
    await visit('/console/deliveries')
    await page.getByRole('link', { name: 'note.ended' }).click()
    await page.locator('#attempt-1 summary').click()
    await page.getByRole('button', { name: 'Copy curl' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const command = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(command).toContain(`curl --request POST '${receiver.url}'`)
    for (const value of Object.values(service.attempts.at(-1)?.headers ?? {})) expect(command).toContain(value)
    expect(command).toContain(inbox.received.at(-1)?.body)
  })

  it('show JSON indented, and copy it as it was sent', async () => {
    inbox.answer = toNotes(() => new Response('{"error":{"code":"locked"}}', { status: 503 }))
    await registered()
    service.owner.record().end({ summary: false })
    await service.clock.advance('1s')
    await visit('/console/deliveries')
    await page.getByRole('link', { name: 'note.ended' }).click()
    await page.locator('#attempt-1 summary').click()
    const sent = inbox.received.at(-1)
    expect(await page.locator('#attempt-1-body').textContent()).toBe(JSON.stringify(sent?.event, null, 2))
    expect(await page.locator('#attempt-1-answer').textContent()).toBe('{\n  "error": {\n    "code": "locked"\n  }\n}')
    await page.locator('#attempt-1-body-copy').click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(sent?.body)
  })

  it('lead to their note and endpoint, and these lead back', async () => {
    const { endpoint_id } = await registered()
    const { note_id } = service.owner.record({ title: 'Stand-up' }).end({ summary: false })
    service.owner.record({ title: 'Another' }).end({ summary: false })
    await service.settled()
    const [delivery] = service.deliveries.filter(({ body }) => body.includes(note_id))
    const path = `/console/deliveries/${delivery?.delivery_id}`
    await visit(path)
    await page.getByRole('link', { name: note_id }).click()
    expect(await heading()).toContain('Stand-up')
    await page.getByRole('link', { name: 'Show its deliveries' }).click()
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('link', { name: 'note.ended' }).click()
    expect(new URL(page.url()).pathname).toBe(path)

    await page.getByRole('link', { name: receiver.url }).click()
    expect(new URL(page.url()).pathname).toBe(`/console/endpoints/${endpoint_id}`)
    await page.getByRole('link', { name: 'Show its deliveries' }).click()
    expect(await page.locator('tbody tr').count()).toBe(3)
    await page.reload()
    await page.getByRole('link', { name: receiver.url }).first().click()
    await page.getByRole('link', { name: 'Show its requests' }).click()
    expect(await heading()).toBe('API requests')
  })

  it('are replayed: the same event in another message (§6)', async () => {
    await registered()
    service.owner.record().end({ summary: false })
    await service.settled()
    await visit('/console/deliveries')
    await page.getByRole('link', { name: 'note.ended' }).click()
    await page.getByRole('button', { name: 'Replay the event' }).click()
    await page.getByText('Replay of').waitFor()
    await page.getByText('delivered').waitFor()
    const [first, again] = inbox.received.filter(({ event }) => event.event_type === 'note.ended')
    expect(again?.event.event_id).toBe(first?.event.event_id)
    expect(again?.headers['webhook-id']).not.toBe(first?.headers['webhook-id'])
  })
})

describe('a note', () => {
  it('is recorded, ended, edited, moved and deleted, with all that follows', async () => {
    service.owner.createChannel('Design')
    await registered()
    await visit('/console/notes')
    await page.getByLabel('Title').fill('Stand-up')
    await page.getByRole('button', { name: 'Record a note' }).click()
    await page.getByRole('button', { name: 'End the recording session' }).click()
    await page.getByText('ended', { exact: true }).first().waitFor()
    await service.settled()
    await page.getByLabel('Title').fill('Stand-up, Monday')
    await page.getByRole('button', { name: 'Edit the note' }).click()
    await page.getByRole('heading', { name: 'Stand-up, Monday' }).waitFor()
    await service.settled()
    await page.getByLabel('Place').selectOption('Design')
    await page.getByRole('button', { name: 'Move the note' }).click()
    await page.locator('dd', { hasText: 'Design' }).waitFor()
    await page.getByText('Delete the note …').click()
    await page.getByRole('button', { name: 'Delete the note' }).click()
    await page.getByRole('link', { name: 'Deleted' }).waitFor()
    await service.settled()
    expect(inbox.kinds).toEqual(['note.ended', 'note.summary.generated', 'note.updated', 'note.deleted'])
    expect(inbox.received.at(-1)?.event.data).toMatchObject({ reason: 'access_lost' })
  })

  it.each(['/console/notes', '/console/deliveries', 'its own page', '/console/integrations', '/console/requests'])(
    'whose words are markup is text on %s',
    async (path) => {
      const evil = '"><script>document.title = "taken"</script><img src=x onerror="document.title = \'taken\'">'
      inbox.answer = toNotes(() => new Response(evil, { status: 500, headers: { 'x-evil': evil } }))
      await registered(`${receiver.url}?<script>document.title='taken'</script>`)
      const channel = service.owner.createChannel(evil)
      service.owner.createIntegration({ channels: [channel] }).issueKey()
      const note = service.owner.record({ title: evil, content: `</textarea>${evil}` }).end({ summary: false })
      service.owner.record({ title: evil, channel })
      await service.clock.advance('1s')
      await call(service, `POST /v1/webhook-endpoints?${encodeURIComponent(evil)}=${encodeURIComponent(evil)}`, {
        body: { url: evil },
      })
      await visit(path.startsWith('/') ? path : `/console/notes/${note.note_id}`)
      if (path === '/console/deliveries') {
        await page.getByRole('link', { name: 'note.ended' }).click()
        await page.locator('#attempt-1 summary').click()
        await page.locator('#attempt-1-answer', { hasText: '<script>' }).waitFor()
      }
      if (path === '/console/requests') {
        await page.getByRole('link', { name: 'POST /v1/webhook-endpoints' }).first().click()
        await page.locator('#body', { hasText: '<script>' }).waitFor()
      }
      await page.waitForTimeout(600) // A live update has come, too.
      expect(await page.title()).not.toBe('taken')
      expect(await page.locator('main script, main img').count()).toBe(0)
    },
  )
})

describe('time and faults', () => {
  it('move on by a press', async () => {
    inbox.answer = toNotes(() => 503)
    await registered()
    service.owner.record().end({ summary: false })
    await visit('/console/clock')
    await page.getByRole('button', { name: '+30s' }).click()
    await page.getByLabel('By').fill('2h36m')
    await page.getByRole('button', { name: 'Advance the clock', exact: true }).click()
    await page.locator('#now', { hasText: '1 Jan 02:36:30' }).waitFor()
    expect(service.attempts.filter(({ event_type }) => event_type === 'note.ended')).toHaveLength(5)
    inbox.answer = () => 204
    await page.getByRole('button', { name: 'Advance the clock until nothing is pending' }).click()
    await page.locator('#now', { hasText: '14:3' }).waitFor()
    expect(service.deliveries.at(-1)?.status).toBe('delivered')
  })

  it('are chosen from a list, shown as a test would write them, and removed', async () => {
    await registered()
    await visit('/console/faults')
    const form = page.locator('form', { has: page.getByLabel('Request', { exact: true }) })
    await form.getByLabel('Request', { exact: true }).fill('GET /v1/notes')
    await form.getByLabel('Kind').selectOption('status')
    await form.getByRole('textbox', { name: 'Status' }).fill('503')
    await form.getByLabel('Calls').fill('1, 3')
    await form.getByRole('button', { name: 'Inject a fault' }).click()
    await page.getByRole('heading', { name: 'GET /v1/notes' }).waitFor()
    await visit('/console/faults')
    await page.getByText('{"request":"GET /v1/notes","calls":[1,3],"fault":{"kind":"status","status":503}}').waitFor()
    const statuses: number[] = []
    for (let count = 0; count < 4; count++) statuses.push((await call(service, 'GET /v1/notes')).status)
    expect(statuses).toEqual([503, 200, 503, 200])
    await page.getByRole('button', { name: 'Remove all' }).click()
    await page.getByText('No faults').waitFor()
    expect(service.faults.rules).toEqual([])
  })

  it('are changed and removed one by one', async () => {
    service.faults.inject({ request: 'GET /v1/notes', fault: { kind: 'status', status: 503 } })
    service.faults.inject({ delivery: '*', rate: 0.1, fault: { kind: 'duplicated' } })
    await call(service, 'GET /v1/notes')
    await visit('/console/faults')
    await page.getByText('rate: 0.1').waitFor()
    await page.getByRole('link', { name: 'GET /v1/notes' }).click()

    await page.getByRole('textbox', { name: 'Status' }).fill('200')
    await page.getByRole('button', { name: 'Change the fault' }).click()
    await page.getByText('It must be a number from 400').waitFor()
    complaints = complaints.filter((complaint) => !complaint.includes('422'))
    await page.goBack()
    const rule = {
      request: 'GET /v1/notes',
      calls: 2,
      fault: { kind: 'status', status: 429, retryAfter: 30 },
    } as const
    await page.getByLabel('Calls').fill('2')
    await page.getByRole('textbox', { name: 'Status' }).fill('429')
    await page.getByLabel('RetryAfter').fill('30')
    await page.getByRole('button', { name: 'Change the fault' }).click()
    await page.getByText('retryAfter: 30').waitFor()
    expect(service.faults.rules[0]).toEqual(rule)

    await page.getByText('Remove the fault …').click()
    await page.getByRole('button', { name: 'Remove the fault' }).click()
    await page.getByRole('link', { name: '* deliveries' }).click()
    expect(service.faults.rules).toMatchObject([{ delivery: '*' }])
    await page.getByText('Remove the fault …').click()
    await page.getByRole('button', { name: 'Remove the fault' }).click()
    await page.getByText('No faults').waitFor()
  })
})

describe('the console and foreign pages', () => {
  it('does nothing that a form of another site asks', async () => {
    const foreign = await startReceiver(
      () =>
        new Response(
          `<form method="post" action="${service.baseUrl}/console/act"><input name="operation" value="POST /control/channels"><input name="next" value="/console"><input name="name" value="Taken"></form><script>document.forms[0].submit()</script>`,
          { headers: { 'content-type': 'text/html' } },
        ),
    )
    await page.goto(foreign.url)
    await page.getByText('only pages of this console').waitFor()
    await visit('/console/integrations')
    expect(await page.getByText('Taken').count()).toBe(0)
    complaints = complaints.filter((complaint) => !complaint.includes('403') && !complaint.includes(foreign.url))
    await foreign.close()
  })

  it('does not answer under a foreign name that resolves to this machine', async () => {
    const { port } = new URL(service.baseUrl)
    await page.goto(`http://rebound.test:${port}/console/deliveries`)
    await page.getByText('does not answer under this host name').waitFor()
    complaints = []
  })

  it('runs no script that got into a page', async () => {
    await visit('/console/deliveries')
    await page.evaluate(`
      const script = document.createElement('script')
      script.textContent = 'document.title = "taken"'
      document.body.append(script)`)
    expect(await page.title()).not.toBe('taken')
    expect(complaints.join()).toContain('Content Security Policy')
    complaints = []
  })
})

it('works without scripts', async () => {
  const plain = await (await openWindow(browser, { javaScriptEnabled: false })).newPage()
  await plain.goto(`${service.baseUrl}/console/notes`)
  await plain.getByLabel('Title').fill('By hand')
  await plain.getByRole('button', { name: 'Record a note' }).click()
  await plain.getByRole('heading', { name: 'By hand' }).waitFor()
  await plain.context().close()
})

it('says when the service is gone', async () => {
  await visit('/console/deliveries')
  await page.locator('body:not(.offline)').waitFor()
  await service.close()
  await page.getByText('The mock server does not answer').waitFor()
  complaints = []
})

async function visit(path: string): Promise<void> {
  await page.goto(service.baseUrl + path)
}

function heading(): Promise<string | null> {
  return page.locator('h1').textContent()
}

async function tabTo(label: string): Promise<void> {
  for (let count = 0; count < 40; count++) {
    await page.keyboard.press('Tab')
    if (
      await page
        .getByLabel(label, { exact: true })
        .first()
        .evaluate((field) => field === field.ownerDocument.activeElement)
    )
      return
  }
  throw new Error(`The keyboard does not reach "${label}".`)
}

/** An active endpoint at the receiver. */
async function registered(url = receiver.url) {
  const body = { url, events: ['note.ended', 'note.summary.generated', 'note.updated', 'note.deleted'] }
  const created = await call<{ endpoint_id: string; signing_secret: string }>(service, 'POST /v1/webhook-endpoints', {
    body,
  })
  await service.settled()
  return created.body
}

function complaintsOf(watched: Page): string[] {
  const found: string[] = []
  watched.on('pageerror', (error) => found.push(error.message))
  watched.on('console', (message) => found.push(message.text()))
  watched.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    if (protocol !== 'data:' && hostname !== '127.0.0.1') found.push(`asked ${request.url()}`)
  })
  return found
}
