import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultsOf, startChromium } from '../docs/.vitepress/browser.ts'
import { ACTIONS } from '../docs/.vitepress/see-it-work/actions.ts'
import { type CopiedNote, differencesOf } from '../docs/.vitepress/see-it-work/copy.ts'
import { type ServedSite, serve } from '../docs/.vitepress/serve.ts'
import { run, WORKSPACE } from '../scripts/run.ts'
import { needs } from './servers/is-installed.ts'

const SITE = join(WORKSPACE, 'docs/.vitepress')
const DIST = join(SITE, 'dist')
const AXE = createRequire(join(WORKSPACE, 'packages/mock-server/package.json')).resolve('axe-core')

describe('the page "See it work"', needs('chromium'), () => {
  let site: ServedSite
  let browser: Awaited<ReturnType<typeof startChromium>>
  beforeAll(async () => {
    if (!existsSync(join(DIST, 'see-it-work.html'))) await run('npm', ['run', '--silent', 'docs'], WORKSPACE)
    site = await serve(DIST)
    browser = await startChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await site?.[Symbol.asyncDispose]()
  })

  const open = async (width: number, colorScheme: 'light' | 'dark' = 'light') => {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
    const page = await context.newPage()
    const faults = await faultsOf(page, `${site.url}/see-it-work`)
    await page.getByRole('region', { name: 'Demonstration' }).and(page.locator('[aria-busy=false]')).waitFor()
    return { page, faults, close: () => context.close() }
  }
  type DemonstrationPage = Awaited<ReturnType<typeof open>>['page']

  const press = async (page: DemonstrationPage, label: string) => {
    await page.getByRole('button', { name: label, exact: true }).click()
    await page.locator('.see-it-work[aria-busy=false]').waitFor()
  }
  const notesOf = async (page: DemonstrationPage, table: string): Promise<CopiedNote[]> =>
    JSON.parse(
      `[${await page.evaluate<string>(`[...document.querySelectorAll('[data-table=${table}] [data-note]')].map((row) => row.dataset.note).join()`)}]`,
    )
  const statusOf = async (page: DemonstrationPage) => await page.locator('.see-it-work [role=status]').textContent()

  it("keeps Notewire's copy equal to the service after any five buttons, and names what differs in the naive copy", async () => {
    const { page, close } = await open(1280)
    const five = fc.array(fc.constantFrom(...ACTIONS), { minLength: 5, maxLength: 5 })
    let naiveDiffered = 0
    await fc.assert(
      fc.asyncProperty(five, async (pressed) => {
        await press(page, 'Start again')
        for (const { label } of pressed) await press(page, label)
        await press(page, 'Compare')
        const service = await notesOf(page, 'service')
        const differing = differencesOf(await notesOf(page, 'naive'), service)
        const text = (await statusOf(page)) ?? ''
        expect(await notesOf(page, 'notewire')).toEqual(service)
        expect(text).toContain("Notewire's copy equals the service.")
        expect(text.includes('The naive copy equals the service.')).toBe(differing.length === 0)
        for (const { what } of differing) expect(text).toContain(what)
        naiveDiffered += Math.sign(differing.length)
      }),
      { numRuns: 100 },
    )
    expect(naiveDiffered).toBeGreaterThan(20)
    await close()
  })

  it.each([
    [1280, 'light'],
    [740, 'light'],
    [400, 'light'],
    [1280, 'dark'],
    [400, 'dark'],
  ] as const)('has no fault at %s px, %s', async (width, colorScheme) => {
    const { page, faults, close } = await open(width, colorScheme)
    expect(faults).toEqual({ errors: [], overflow: 0, foreign: [] })
    for (const label of ['Forge a deletion', 'Let a handler fail', 'Deliver out of order', 'Compare'])
      await press(page, label)
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
    await page.evaluate(await readFile(AXE, 'utf8'))
    const violations = await page.evaluate<unknown[]>(
      "axe.run('.see-it-work').then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))",
    )
    expect(violations).toEqual([])
    const folder = process.env['PICTURES']
    if (folder !== undefined)
      await page.screenshot({ path: join(folder, `see-it-work-${width}-${colorScheme}.png`), fullPage: true })
    await close()
  })

  it('shows the effect of a button at 400 px without scrolling', async () => {
    const { page, close } = await open(400)
    await page.setViewportSize({ width: 400, height: 844 })
    const visible = async (selector: string) => {
      const box = await page.locator(selector).boundingBox()
      return box !== null && box.y >= 0 && box.y + box.height <= 844
    }
    for (const { label } of ACTIONS) {
      await press(page, label)
      expect([label, await visible('.status'), await visible('.tables')]).toEqual([label, true, true])
      expect(await page.evaluate('scrollY')).toBe(0)
      await press(page, 'Start again')
    }
    await close()
  })

  it.each([
    [1280, 12],
    [400, 8],
  ])('at %s px, its first button is at most %s presses of Tab away', async (width, most) => {
    const { page, close } = await open(width)
    const names: string[] = []
    for (let tabs = 0; tabs < most; tabs += 1) {
      await page.keyboard.press('Tab')
      names.push(await page.evaluate<string>('document.activeElement.textContent'))
    }
    expect(names).toContain(ACTIONS[0]?.label)
    await close()
  })

  it('is used by the keyboard alone', async () => {
    const { page, close } = await open(1280)
    const names: string[] = []
    await page.getByLabel('Note', { exact: true }).focus()
    for (let tabs = 0; tabs < ACTIONS.length + 2; tabs += 1) {
      await page.keyboard.press('Tab')
      names.push(await page.evaluate<string>('document.activeElement.textContent'))
    }
    expect(names).toEqual([...ACTIONS.map(({ label }) => label), 'Compare', 'Start again'])
    await page.getByRole('button', { name: 'Forge a deletion' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.see-it-work[aria-busy=false]').waitFor()
    await expect.poll(() => statusOf(page)).toContain('Notewire responded 401')
    await close()
  })

  it('loads at most 150 kB in addition to the site', async () => {
    const { page, close } = await open(1280)
    const urls = await page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)")
    const own = urls.filter((url) => /(demonstration|see-it-work)[^/]*\.(js|css)$/.test(url))
    expect(own.length).toBeGreaterThan(1)
    const { gzipSync } = await import('node:zlib')
    const sizes = await Promise.all(
      [...new Set(own)].map(async (url) => gzipSync(await readFile(join(DIST, new URL(url).pathname))).length),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000)
    await close()
  })

  it('is shown in the README as a picture of at most 60 kB', async () => {
    const picture = /!\[[^\]]+\]\((?<path>docs\/[^)]+\.png)\)/.exec(
      await readFile(join(WORKSPACE, 'README.md'), 'utf8'),
    )
    const { size } = await stat(join(WORKSPACE, picture?.groups?.['path'] ?? expect.fail('no picture in the README')))
    expect(size).toBeLessThanOrEqual(60_000)
  })
})
