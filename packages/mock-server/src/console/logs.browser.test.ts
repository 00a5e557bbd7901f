import { describe, expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import { aDeliveredService, showService } from '../../fixtures/shown-service.ts'

const DELIVERIES = 10_000

// The verification of the endpoint is a delivery, too.
const shown = showService(() => aDeliveredService(DELIVERIES - 1))

const entries = () => shown.page.locator('td.main > a').evaluateAll((links) => links.map(({ id }) => id))
const newest = () => shown.service.deliveries.map(({ delivery_id }) => delivery_id).reverse()

describe('10,000 deliveries', () => {
  it('are not all sent to the browser, which paints the first page early', async () => {
    const response = await shown.page.goto(`${shown.service.baseUrl}/console/deliveries`)
    expect(await entries()).toEqual(newest().slice(0, 50))
    await shown.page.getByText('1–50 of 10,000').waitFor()
    expect((await response?.body())?.length).toBeLessThan(60_000)
    expect(await shown.page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1500)

    // Printed, not checked: it depends on the machine.
    const times: number[] = []
    for (let load = 0; load < 9; load++) {
      await shown.page.goto(`${shown.service.baseUrl}/console/deliveries`)
      times.push(await shown.page.evaluate<number>(FIRST_PAINT))
    }
    console.info(`First contentful paint: ${times.toSorted((one, other) => one - other)[4]} ms`)
  })

  it('are paged, and a page stays the same while deliveries are added', async () => {
    await shown.page.goto(`${shown.service.baseUrl}/console/deliveries`)
    await shown.page.getByRole('link', { name: 'Older' }).click()
    await shown.page.getByText('51–100 of 10,000').waitFor()
    const second = newest().slice(50, 100)
    expect(await entries()).toEqual(second)

    shown.service.owner.notes()[0]?.edit({ title: 'A third title' })
    await shown.service.settled()
    await shown.page.getByText('52–101 of 10,001').waitFor()
    expect(await entries()).toEqual(second)
    await shown.page.reload()
    expect(await entries()).toEqual(second)
    await shown.page.getByRole('link', { name: 'Older' }).click()
    await shown.page.getByText('102–151 of 10,001').waitFor()
    await shown.page.getByRole('link', { name: 'Newer' }).click()
    await shown.page.getByText('52–101 of 10,001').waitFor()
    expect(await entries()).toEqual(second)
    for (const range of ['2–51', '1–50']) {
      await shown.page.getByRole('link', { name: 'Newer' }).click()
      await shown.page.getByText(`${range} of 10,001`).waitFor()
    }
  })

  it('are searched by event, note, endpoint, kind and status', async () => {
    const delivery = shown.service.deliveries[5000]
    await shown.page.goto(`${shown.service.baseUrl}/console/deliveries`)
    await shown.page.getByRole('searchbox', { name: 'Search' }).fill(`DELIVERED ${delivery?.event_id}`)
    await shown.page.getByRole('button', { name: 'Search' }).click()
    await shown.page.getByText('1–1 of 1').waitFor()
    expect(await entries()).toEqual([delivery?.delivery_id])
    const { note_id } = JSON.parse(delivery?.body ?? '').data
    for (const search of [note_id, 'endpoint.verification', 'receiver-1.test verification']) {
      await shown.page.getByRole('searchbox').fill(search)
      await shown.page.keyboard.press('Enter')
      await shown.page.waitForURL((url) => url.searchParams.get('search') === search)
      expect(await entries()).toHaveLength(1)
    }
    await shown.page.getByLabel('Status').selectOption('pending')
    await shown.page.getByRole('button', { name: 'Search' }).click()
    await shown.page.getByText('Nothing found').waitFor()
    expect(await shown.page.getByRole('searchbox').inputValue()).toBe('receiver-1.test verification')
  })
})

describe('the requests to the API', () => {
  it('appear by themselves, are searched, and show query, key and answer', async () => {
    const [note] = shown.service.owner.notes()
    await shown.page.goto(`${shown.service.baseUrl}/console/requests`)
    await call(shown.service, 'GET /v1/notes?limit=1')
    await call(shown.service, 'GET /v1/notes/note_1', { key: 'ntw_live_k7.unknown' })
    await call(shown.service, `GET /v1/notes/${note?.note_id}/summary`)
    await shown.page.getByRole('link', { name: 'GET /v1/notes/note_1' }).waitFor()
    await shown.page.getByText('rejected').waitFor()
    await shown.page.getByText('limit=1').waitFor()

    await shown.page.getByRole('searchbox', { name: 'Search' }).fill('2xx summary')
    await shown.page.keyboard.press('Enter')
    await shown.page.getByText('1–1 of 1').waitFor()
    await shown.page.getByRole('link', { name: '/summary' }).click()
    await shown.page.locator('#answer', { hasText: '\n  "note_id": ' }).waitFor()
    await shown.page.reload()
    await shown.page.getByRole('link', { name: note?.note_id ?? '' }).click()
    await shown.page.getByRole('link', { name: 'Show its requests' }).click()
    await shown.page.getByRole('link', { name: '/summary' }).waitFor()

    await shown.page.goto(`${shown.service.baseUrl}/console/requests?search=limit`)
    await shown.page.getByRole('link', { name: 'GET /v1/notes' }).click()
    await shown.page.locator('.facts').getByText('limit=1').waitFor()
    await shown.page.locator('#answer', { hasText: '"has_more": true' }).waitFor()
  })
})

const FIRST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime)
}).observe({ type: 'paint', buffered: true }))`
