import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openWindow, startChromium } from '../fixtures/browser.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'

let browser: Browser
let service: NotesService
let page: Page
beforeAll(async () => {
  browser = await startChromium()
  service = await createNotesService({ clock: 'virtual', notes: 3, seed: 7 })
  await service.connect(() => () => new Response(null, { status: 204 }))
  for (const note of service.owner.notes()) note.edit({ title: 'Another' })
  await service.settled()
  await service.listen()
})
afterAll(async () => {
  await browser.close()
  await service.close()
})
beforeEach(async () => {
  const context = await openWindow(browser)
  page = await context.newPage()
  await page.goto(`${service.baseUrl}/console/deliveries`)
  return () => context.close()
})

const focused = () => page.evaluate<string>('document.activeElement.id')
const dialog = () => page.getByRole('dialog', { name: 'Keyboard shortcuts' })
const newest = () => service.deliveries.map(({ delivery_id }) => delivery_id).reverse()

describe('keyboard shortcuts', () => {
  it('? lists them, and Esc closes the list', async () => {
    await page.keyboard.press('?')
    await dialog().getByText('Previous entry of the list').waitFor()
    await page.keyboard.press('j')
    expect(await focused()).not.toBe(newest()[0])
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Shortcuts' }).click()
    await dialog().getByRole('button', { name: 'Close' }).click()
    await dialog().waitFor({ state: 'hidden' })
  })

  it('j and k move in the list, Enter opens an entry, and Esc goes back', async () => {
    const pressed: string[] = []
    for (const key of ['j', 'j', 'j', 'k', 'k', 'k', 'j']) {
      await page.keyboard.press(key)
      pressed.push(await focused())
    }
    const [first, second, third] = newest()
    expect(pressed).toEqual([first, second, third, second, first, first, second])
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/console/deliveries/${second}`)
    await page.keyboard.press('Escape')
    await page.waitForURL('**/console/deliveries')
  })

  it('/ moves to the search, in which the keys are text, and Esc leaves it', async () => {
    await page.keyboard.press('/')
    expect(await focused()).toBe('search')
    await page.keyboard.type('gnj?/')
    expect(await page.getByRole('searchbox').inputValue()).toBe('gnj?/')
    await page.keyboard.press('Escape')
    expect(await focused()).toBe('')
  })

  it.each([
    ['n', 'Notes'],
    ['e', 'Endpoints'],
    ['r', 'API requests'],
    ['k', 'Integrations and keys'],
    ['c', 'Clock'],
    ['f', 'Faults'],
    ['d', 'Deliveries'],
  ])('g %s opens %s', async (key, title) => {
    await page.goto(`${service.baseUrl}/console/notes`)
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  })

  it('leave the keys of the browser alone', async () => {
    await page.keyboard.press('Control+j')
    await page.keyboard.press('Alt+j')
    expect(await focused()).toBe('')
  })

  it('can be turned off, and stay off', async () => {
    await page.keyboard.press('?')
    await dialog().getByLabel('Use keyboard shortcuts').uncheck()
    await page.reload()
    await page.keyboard.press('j')
    await page.keyboard.press('?')
    expect([await focused(), await dialog().isVisible()]).toEqual(['', false])
    await page.getByRole('button', { name: 'Shortcuts' }).click()
    await dialog().getByLabel('Use keyboard shortcuts').check()
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    expect(await focused()).toBe(newest()[0])
  })
})
