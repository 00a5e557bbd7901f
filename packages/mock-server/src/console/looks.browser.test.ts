import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { openWindow } from '../../fixtures/browser.ts'
import { aLivedInService } from '../../fixtures/lived-in.ts'
import { showService } from '../../fixtures/shown-service.ts'

/** Set it to make the pictures of the documentation. */
const shooting = process.env['NOTEWIRE_SCREENSHOTS'] !== undefined
const DOCS = join(import.meta.dirname, '../../../../docs/mock-server')
/** A palette of 32 colors makes them this small. */
const MAX_PICTURE_BYTES = 50_000

const ON_REQUEST = { skip: !shooting, meta: { skippedBecause: 'NOTEWIRE_SCREENSHOTS is not set' } }
const shown = showService(() => aLivedInService(shooting ? 4010 : 0))

const failed = () => shown.service.deliveries.find(({ attempts }) => attempts > 3)?.delivery_id
const pages: readonly (readonly [string, () => string])[] = [
  ['deliveries', () => '/console/deliveries'],
  ['found deliveries', () => '/console/deliveries?search=note.ended'],
  ['a delivery', () => `/console/deliveries/${failed()}`],
  ['notes', () => '/console/notes'],
  ['a note', () => `/console/notes/${shown.service.owner.notes().at(-1)?.note_id}`],
  ['endpoints', () => '/console/endpoints'],
  ['an endpoint', () => `/console/endpoints/${shown.service.attempts[0]?.endpoint_id}`],
  ['requests', () => '/console/requests'],
  [
    'a request',
    () => `/console/requests/${shown.service.requests.find(({ path }) => path === '/v1/notes')?.request_id}`,
  ],
  ['keys', () => '/console/integrations'],
  ['the clock', () => '/console/clock'],
  ['faults', () => '/console/faults'],
  ['a fault', () => '/console/faults/flt_4'],
  ['nothing', () => '/console/deliveries?status=lost'],
  ['a page that is not there', () => '/console/elsewhere'],
]

it.each(pages)(
  '%s: axe finds no error in light and dark, and nothing is wider than the window',
  async (_name, path) => {
    const { page, service } = shown
    await page.goto(service.baseUrl + path())
    await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
    expect(await errorsOfAxe(page)).toEqual([])
    for (const width of [400, 740, 1280, 1600]) {
      await page.setViewportSize({ width, height: 860 })
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${width} px`).toBeLessThanOrEqual(width)
    }
  },
)

it('axe finds no error in the dialog of the keyboard shortcuts', async () => {
  const { page } = shown
  await page.goto(`${shown.service.baseUrl}/console/deliveries`)
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  expect(await errorsOfAxe(page)).toEqual([])
})

it('the keyboard reaches the content, and shows where the focus is', async () => {
  for (const [, path] of pages) {
    const page = await shown.page.context().newPage()
    await page.goto(shown.service.baseUrl + path())
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    await page.close()
  }
})

describe('the pictures of the documentation', () => {
  const pictures = [
    ['deliveries', 'found deliveries', 1280, 'light'],
    ['delivery', 'a delivery', 1280, 'dark'],
    ['requests', 'requests', 1280, 'light'],
    ['faults', 'faults', 1280, 'light'],
    ['shortcuts', 'requests', 1280, 'light'],
    ['narrow', 'deliveries', 400, 'dark'],
  ] as const

  it.each(pictures)('%s', ON_REQUEST, async (name, pageName, width, colorScheme) => {
    const context = await openWindow(shown.browser, { width, colorScheme })
    const page = await context.newPage()
    await page.setViewportSize({ width, height: 720 })
    await page.goto(shown.service.baseUrl + new Map(pages).get(pageName)?.())
    if (name === 'delivery') await page.locator('#attempt-1 summary').click()
    if (name === 'shortcuts') await page.keyboard.press('?')
    const picture = await page.screenshot({ animations: 'disabled' })
    await sharp(picture)
      .png({ palette: true, colors: 32, effort: 10 })
      .toFile(join(DOCS, `console-${name}.png`))
    await context.close()
  })

  it.each(pictures)('%s is small, and shown on the page', (name) => {
    expect(statSync(join(DOCS, `console-${name}.png`)).size).toBeLessThan(MAX_PICTURE_BYTES)
    expect(readFileSync(join(DOCS, 'console.md'), 'utf8')).toContain(`(console-${name}.png)`)
  })
})

async function errorsOfAxe(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const light = await page.evaluate<axe.AxeResults>('axe.run()')
  // Only the colors differ in dark.
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await page.evaluate<axe.AxeResults>('axe.run({ runOnly: ["color-contrast"] })')
  return [...light.violations, ...dark.violations].flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
