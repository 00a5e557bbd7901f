import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openWindow, startChromium } from '../fixtures/browser.ts'
import { call } from '../fixtures/call.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'

const DELIVERIES = 10_000

let browser: Browser
let service: NotesService
let page: Page
beforeAll(async () => {
  browser = await startChromium()
  service = await createNotesService({ clock: 'virtual', notes: DELIVERIES - 1, seed: 7 })
  await service.listen()
  await service.connect(() => () => new Response(null, { status: 204 }))
  for (const note of service.owner.notes()) note.edit({ title: 'Another' })
  await service.settled()
})
afterAll(async () => {
  await browser.close()
  await service.close()
})
beforeEach(async () => {
  const context = await openWindow(browser)
  page = await context.newPage()
  return () => context.close()
})

const entries = () => page.locator('td.main > a').evaluateAll((links) => links.map(({ id }) => id))
const newest = () => service.deliveries.map(({ delivery_id }) => delivery_id).reverse()

describe('10,000 deliveries', () => {
  it('are not all sent to the browser, which paints the first page early', async () => {
    const response = await page.goto(`${service.baseUrl}/console/deliveries`)
    expect(await entries()).toEqual(newest().slice(0, 50))
    await page.getByText('1–50 of 10,000').waitFor()
    expect((await response?.body())?.length).toBeLessThan(60_000)
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1500)

    // Printed, not checked: it depends on the machine.
    const times: number[] = []
    for (let load = 0; load < 9; load++) {
      await page.goto(`${service.baseUrl}/console/deliveries`)
      times.push(await page.evaluate<number>(FIRST_PAINT))
    }
    console.info(`First contentful paint: ${times.toSorted((one, other) => one - other)[4]} ms`)
  })

  it('are paged, and a page stays the same while deliveries are added', async () => {
    await page.goto(`${service.baseUrl}/console/deliveries`)
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByText('51–100 of 10,000').waitFor()
    const second = newest().slice(50, 100)
    expect(await entries()).toEqual(second)

    service.owner.notes()[0]?.edit({ title: 'A third title' })
    await service.settled()
    await page.getByText('52–101 of 10,001').waitFor()
    expect(await entries()).toEqual(second)
    await page.reload()
    expect(await entries()).toEqual(second)
    await page.getByRole('link', { name: 'Older' }).click()
    await page.getByText('102–151 of 10,001').waitFor()
    await page.getByRole('link', { name: 'Newer' }).click()
    await page.getByText('52–101 of 10,001').waitFor()
    expect(await entries()).toEqual(second)
    for (const range of ['2–51', '1–50']) {
      await page.getByRole('link', { name: 'Newer' }).click()
      await page.getByText(`${range} of 10,001`).waitFor()
    }
  })

  it('are searched by event, note, endpoint, kind and status', async () => {
    const delivery = service.deliveries[5000]
    await page.goto(`${service.baseUrl}/console/deliveries`)
    await page.getByRole('searchbox', { name: 'Search deliveries' }).fill(`DELIVERED ${delivery?.event_id}`)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('1–1 of 1').waitFor()
    expect(await entries()).toEqual([delivery?.delivery_id])
    const { note_id } = JSON.parse(delivery?.body ?? '').data
    for (const search of [note_id, 'endpoint.verification', 'receiver-1.test verification']) {
      await page.getByRole('searchbox').fill(search)
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.searchParams.get('search') === search)
      expect(await entries()).toHaveLength(1)
    }
    await page.getByRole('link', { name: 'pending', exact: true }).click()
    await page.getByText('No matching deliveries').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('receiver-1.test verification')
  })
})

describe('the requests to the API', () => {
  it('appear by themselves, are searched, and show query, key and answer', async () => {
    const [note] = service.owner.notes()
    await page.goto(`${service.baseUrl}/console/requests`)
    await call(service, 'GET /v1/notes?limit=1')
    await call(service, 'GET /v1/notes/note_1', { key: 'ntw_live_k7.unknown' })
    await call(service, `GET /v1/notes/${note?.note_id}/summary`)
    await page.getByRole('link', { name: 'GET /v1/notes/note_1' }).waitFor()
    await page.getByText('rejected').waitFor()
    await page.getByText('limit=1').waitFor()

    await page.getByRole('searchbox', { name: 'Search requests' }).fill('2xx summary')
    await page.keyboard.press('Enter')
    await page.getByText('1–1 of 1').waitFor()
    await page.getByRole('link', { name: '/summary' }).click()
    await page.locator('#answer', { hasText: '\n  "note_id": ' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: note?.note_id ?? '' }).click()
    await page.getByRole('link', { name: 'Show its requests' }).click()
    await page.getByRole('link', { name: '/summary' }).waitFor()

    await page.goto(`${service.baseUrl}/console/requests?search=limit`)
    await page.getByRole('link', { name: 'GET /v1/notes' }).click()
    await page.locator('.headers', { hasText: 'limit' }).getByText('1', { exact: true }).waitFor()
    await page.locator('#answer', { hasText: '"has_more": true' }).waitFor()
  })
})

const FIRST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime)
}).observe({ type: 'paint', buffered: true }))`
