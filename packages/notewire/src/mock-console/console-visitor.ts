import { NotewireError } from '@notewire/protocol'
import { UsageError } from '../usage-error.ts'
import { messageOf } from './page-text.ts'

/** A console that did not do what it was asked to. */
export class ConsoleError extends NotewireError<'console_refused'> {
  constructor(message: string) {
    super('console_refused', message)
  }
}

/** Uses the console of a running mock service as a browser does: reads its pages, and sends their forms. */
export class ConsoleVisitor {
  readonly #origin: string
  readonly #signal: AbortSignal

  constructor(baseUrl: string, signal: AbortSignal) {
    this.#origin = new URL(baseUrl).origin
    this.#signal = signal
  }

  /** The text of a page. */
  async read(path: string): Promise<string> {
    const answer = await this.#ask(path, {})
    return await this.#accepted(answer, path)
  }

  /**
   * Sends a form.
   *
   * @returns the path that the console leads to next
   */
  async send(path: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
    // The console takes forms from its own pages alone: what has an address of its own is no page elsewhere.
    const headers = { origin: this.#origin }
    const answer = await this.#ask(path, { method: 'POST', headers, body: new URLSearchParams(fields) })
    const next = answer.headers.get('location')
    if (answer.status === 303 && next !== null) return next
    await this.#accepted(answer, path)
    throw new ConsoleError(
      `the console answered ${answer.status} where it should lead on. Is this version of it another one?`,
    )
  }

  async #ask(path: string, init: RequestInit): Promise<Response> {
    return await fetch(this.#origin + path, { ...init, redirect: 'manual', signal: this.#signal })
  }

  async #accepted(answer: Response, path: string): Promise<string> {
    const page = await answer.text()
    if (answer.ok) return page
    if (answer.status === 403) throw new ConsoleError(`the console refuses: ${page.trim()}`)
    if (answer.status === 404) {
      throw path.startsWith('/console/notes/') || path.startsWith('/console/endpoints/')
        ? new UsageError('the service has no note or endpoint of that id. Look into its console for those that it has.')
        : new ConsoleError(
            `there is no console at ${this.#origin}. Events can be triggered at a service started with notewire mock.`,
          )
    }
    throw new ConsoleError(messageOf(page) ?? `the console answered ${answer.status}.`)
  }
}
