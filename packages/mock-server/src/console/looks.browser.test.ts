import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWindow, startChromium } from '../fixtures/browser.ts'
import { aLivedInService } from '../fixtures/lived-in.ts'
import type { NotesService } from '../service/notes-service.ts'

/** Set it to make the pictures of the documentation. */
const shooting = process.env['NOTEWIRE_SCREENSHOTS'] !== undefined
const PICTURES = join(import.meta.dirname, '../../../../docs/mock-server')

let browser: Browser
let service: NotesService
beforeAll(async () => {
  browser = await startChromium()
  service = await aLivedInService()
  await service.listen({ port: shooting ? 4010 : 0 })
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

const failed = () => service.deliveries.find(({ attempts }) => attempts > 3)?.delivery_id
const pages: readonly (readonly [string, () => string])[] = [
  ['deliveries', () => '/console/deliveries'],
  ['a delivery', () => `/console/deliveries/${failed()}`],
  ['notes', () => '/console/notes'],
  ['a note', () => `/console/notes/${service.owner.notes().at(-1)?.note_id}`],
  ['endpoints', () => '/console/endpoints'],
  ['an endpoint', () => `/console/endpoints/${service.attempts[0]?.endpoint_id}`],
  ['keys', () => '/console/integrations'],
  ['the clock', () => '/console/clock'],
  ['faults', () => '/console/faults'],
  ['nothing', () => '/console/deliveries?status=lost'],
  ['a page that is not there', () => '/console/elsewhere'],
]

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it.each(pages)('%s can be read at 400 px and at 1280 px', async (_name, path) => {
    const context = await openWindow(browser, { width: 400, colorScheme })
    const page = await context.newPage()
    await page.goto(service.baseUrl + path())
    await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(400)
    expect(await faintTexts(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 860 })
    expect(await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')).toBe(
      true,
    )
    await context.close()
  })
})

it('everything that can be done is named, and reached by the keyboard, which shows where it is', async () => {
  const context = await openWindow(browser)
  for (const [, path] of pages) {
    const page = await context.newPage()
    await page.goto(service.baseUrl + path())
    expect(await page.evaluate(NAMELESS)).toEqual([])
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    await page.close()
  }
  await context.close()
})

if (shooting) {
  describe('the pictures of the documentation', () => {
    it.each([
      ['deliveries', 'deliveries', 1280, 'light'],
      ['delivery', 'a delivery', 1280, 'dark'],
      ['faults', 'faults', 1280, 'light'],
      ['narrow', 'deliveries', 400, 'dark'],
    ] as const)('%s', async (name, shown, width, colorScheme) => {
      const context = await openWindow(browser, { width, colorScheme })
      const page = await context.newPage()
      await page.goto(service.baseUrl + new Map(pages).get(shown)?.())
      if (name === 'delivery') await page.locator('#attempt-1 summary').click()
      await page.screenshot({ path: join(PICTURES, `console-${name}.png`) })
      await context.close()
    })
  })
}

/** Controls without a name for a screen reader. */
const NAMELESS = `[...document.querySelectorAll('button, a, input:not([type=hidden]), select, textarea, summary')]
  .filter((control) => (control.labels?.[0]?.textContent ?? control.textContent).trim() === '')
  .map((control) => control.outerHTML)`

/** Texts with less contrast to their background than WCAG 2.2 requires of small ones: 4.5. */
function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const channels = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number)
    const luminance = (colour: string): number => {
      const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
        const share = channel / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const backgroundOf = (element: Element | null): string => {
      if (element === null) return 'rgb(255, 255, 255)'
      const { backgroundColor } = getComputedStyle(element)
      const [, , , alpha = 1] = channels(backgroundColor)
      return alpha === 0 ? backgroundOf(element.parentElement) : backgroundColor
    }
    return [...document.querySelectorAll('body *')]
      .filter((element) =>
        [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== ''),
      )
      .filter((element) => element.checkVisibility())
      .filter((element) => {
        const [one, other] = [luminance(getComputedStyle(element).color), luminance(backgroundOf(element))]
        return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < 4.5
      })
      .map((element) => `${element.tagName} ${element.textContent?.trim()}`)
  })
}
