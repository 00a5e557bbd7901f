import { type Browser, chromium, type Page } from 'playwright-core'

/** Starts the installed Chromium without background requests. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  })
}

/** The problems of a page in a browser. */
export interface Faults {
  /** Errors of its scripts, and files that it could not load. */
  readonly errors: readonly string[]
  /** How far it scrolls horizontally, in pixels. */
  readonly overflow: number
  /** The URLs of other origins that it requested. */
  readonly foreign: readonly string[]
}

/** Opens a page, and collects its problems. */
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
