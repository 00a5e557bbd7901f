import { type Browser, chromium, type Page } from 'playwright-core'

/** Starts the Chromium of the machine, which keeps still: it calls nobody. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  })
}

/** What a page does wrong in a browser. */
export interface Faults {
  /** Errors of its scripts, and what it could not load. */
  readonly errors: readonly string[]
  /** How far it can be scrolled to the side, in pixels. */
  readonly overflow: number
  /** Where it asked for something beyond its own origin. */
  readonly foreign: readonly string[]
}

/** Opens a page at the width of a phone, and looks for what is wrong with it. */
export async function faultsOf(page: Page, url: string): Promise<Faults> {
  const { origin } = new URL(url)
  const errors: string[] = []
  const foreign: string[] = []
  page.removeAllListeners()
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('request', (request) => new URL(request.url()).origin !== origin && foreign.push(request.url()))
  await page.goto(url, { waitUntil: 'networkidle' })
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  return { errors, overflow, foreign: foreign.filter((address) => !address.startsWith('data:')) }
}
