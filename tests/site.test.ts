import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultsOf, startChromium } from '../docs/.vitepress/browser.ts'
import { DOCS, unlistedPages } from '../docs/.vitepress/contents.ts'
import { anchorOf } from '../docs/.vitepress/links.ts'
import { type ServedSite, serve } from '../docs/.vitepress/serve.ts'
import { run, WORKSPACE } from '../scripts/run.ts'
import { needs } from './servers/is-installed.ts'
import { lostAnchors } from './site/anchors.ts'
import { lostFiles } from './site/lost-files.ts'
import { SEARCHES } from './site/searches.ts'

const SITE = join(WORKSPACE, 'docs/.vitepress')
const DIST = join(SITE, 'dist')
const read = (page: string) => readFileSync(join(DOCS, page), 'utf8')

describe('a heading has the same anchor as on GitHub', () => {
  it.each([
    ["What's new, and what is not?", 'whats-new-and-what-is-not'],
    ['`note.ended` & co', 'noteended--co'],
    ['`endpoint_not_active`', 'endpoint_not_active'],
  ])('%s', (heading, anchor) => expect(anchorOf(heading)).toBe(anchor))
})

describe('the site', () => {
  beforeAll(async () => {
    await run(process.execPath, ['write-reference.ts'], SITE)
    await run(join(SITE, 'node_modules/.bin/vitepress'), ['build', '..'], SITE)
  }, 600_000)

  it('lists every page in its sidebar', () => expect(unlistedPages()).toEqual([]))

  it('has no link to a missing anchor', () => expect(lostAnchors(DIST)).toEqual([]))

  it('has no link to a missing file in its texts for language models', () => expect(lostFiles(DIST)).toEqual([]))

  it('has the reference of every entry', () => {
    for (const entry of ['webhooks', 'webhooks/verify', 'client', 'protocol/schemas', 'mock-server']) {
      expect(read(`reference/${entry}.md`)).toMatch(`# @notewire/${entry}\n`)
    }
  })

  it('tells an agent in 40 lines how to integrate, and its index begins with that page', () => {
    const [, , rules = ''] = read('coding-agents.md').split(/^---$/m)
    expect(rules.trim().split('\n').length).toBeLessThanOrEqual(40)
    const [introduction = ''] = readFileSync(join(DIST, 'llms.txt'), 'utf8').split('## Table of Contents')
    expect(introduction).toContain('(/coding-agents.md)')
    expect(readFileSync(join(DOCS, '../README.md'), 'utf8')).toContain('llms.txt')
  })

  it('contains the contract documents', () => {
    expect(JSON.parse(readFileSync(join(DIST, 'contract/openapi.json'), 'utf8'))).toHaveProperty('openapi')
  })

  it('lists every page for language models', () => {
    const index = readFileSync(join(DIST, 'llms.txt'), 'utf8')
    const everything = readFileSync(join(DIST, 'llms-full.txt'), 'utf8')
    for (const page of pagesBelow(DOCS, 'md').filter((page) => !page.startsWith('reference/'))) {
      // The list contains a folder by its name.
      expect(index, page).toContain(`(/${page.replace(/\/index\.md$/, '.md')})`)
    }
    expect(everything).toContain('# Delivery semantics')
  })
})

describe('in a browser, at the width of a phone', needs('chromium'), () => {
  let site: ServedSite
  let browser: Awaited<ReturnType<typeof startChromium>>
  beforeAll(async () => {
    site = await serve(DIST)
    browser = await startChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await site?.[Symbol.asyncDispose]()
  })

  it.each(['light', 'dark'] as const)(
    'no page fails, is too wide, or sends a request to another host: %s',
    async (colorScheme) => {
      const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme })
      const page = await context.newPage()
      const found: Record<string, unknown> = {}
      const pages = pagesBelow(DIST, 'html').filter((path) => path !== '404.html')
      expect(pages.length).toBeGreaterThan(30)
      for (const path of pages) found[path] = await faultsOf(page, `${site.url}/${path}`)
      await context.close()
      expect(found).toEqual(Object.fromEntries(pages.map((path) => [path, { errors: [], overflow: 0, foreign: [] }])))
    },
    300_000,
  )

  it('the search finds the page with the answer, and every result shows an excerpt', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } })
    const errors: string[] = []
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await page.goto(site.url)
    await page
      .getByRole('button', { name: /search/i })
      .first()
      .click()
    const input = page.locator('#localsearch-input')
    const results = page.locator('.VPLocalSearchBox .result')
    const found: Record<string, string> = {}
    for (const [query] of SEARCHES) {
      await input.fill('')
      await expect.poll(() => results.count()).toBe(0)
      await input.fill(query)
      const { pathname } = new URL((await results.first().getAttribute('href')) ?? '', site.url)
      found[query] = pathname.replace(/^\/|\.html$/g, '')
      await expect.poll(() => results.filter({ hasNot: page.locator('.excerpt') }).count(), { message: query }).toBe(0)
    }
    await page.close()
    expect(found).toEqual(Object.fromEntries(SEARCHES))
    expect(errors).toEqual([])
  }, 600_000)

  it('the landing page shows its mark, the first sample beside the text, and install lines', async () => {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
    await page.goto(site.url, { waitUntil: 'networkidle' })
    const [text, sample] = await Promise.all(
      ['.first-text', '.first-sample'].map((part) => page.locator(part).boundingBox()),
    )
    if (!text || !sample) return expect.fail('no first screen')
    expect(sample.x).toBeGreaterThan(text.x + text.width)
    expect(Math.max(text.y + text.height, sample.y + sample.height)).toBeLessThan(900)
    expect(await page.evaluate<number>("document.querySelector('.mark').naturalWidth")).toBeGreaterThan(0)
    const lines: string[] = []
    for (const manager of ['npm', 'pnpm', 'yarn', 'bun']) {
      await page.locator('.first-text .tabs label', { hasText: new RegExp(`^${manager}$`) }).click()
      lines.push((await page.locator('.first-text [class*=language-].active code').textContent()) ?? '')
    }
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['npm', 'pnpm', 'yarn', 'bun'])
    await page.close()
  }, 60_000)

  it.each([400, 800, 1400])(
    'the landing page has no fault at %s px',
    async (width) => {
      const page = await browser.newPage({ viewport: { width, height: 900 } })
      expect(await faultsOf(page, site.url)).toEqual({ errors: [], overflow: 0, foreign: [] })
      await page.close()
    },
    60_000,
  )

  it('the Tab key reaches the text of a guide without the links of the closed menu', async () => {
    const page = await browser.newPage({ viewport: { width: 400, height: 844 } })
    await page.goto(`${site.url}/receiving`, { waitUntil: 'networkidle' })
    for (let tabs = 0; tabs < 10; tabs += 1) await page.keyboard.press('Tab')
    expect(await page.evaluate<boolean>("document.activeElement.closest('.vp-doc') !== null")).toBe(true)
    await page.close()
  }, 60_000)

  it('the search finds an error by its code', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } })
    await page.goto(site.url)
    await page
      .getByRole('button', { name: /search/i })
      .first()
      .click()
    await page.locator('#localsearch-input').fill('transaction_not_committed')
    await page.locator('.VPLocalSearchBox .result').first().click()
    await page.waitForURL(/troubleshooting\.html#transaction_not_committed$/)
    await page.close()
  }, 60_000)
})

function pagesBelow(folder: string, extension: string): string[] {
  return globSync(`**/*.${extension}`, { cwd: folder }).sort()
}
