import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { ConsoleParts } from './console-parts.ts'
import { codeBlock, messagePage, page } from './page.ts'

/** What is shown once: a key, or a signing secret (contract §2). */
interface Secret {
  readonly title: string
  readonly text: string
  readonly advice: string
  /** Where to go on. */
  readonly next: string
}

/** Keeps keys and secrets for the one page that shows them. */
export class ShownOnce {
  readonly #secrets = new Map<string, Secret>()

  /** @returns the path of a page that shows it once */
  keep(secret: Secret): string {
    const ticket = crypto.randomUUID()
    this.#secrets.set(ticket, secret)
    return `/console/shown-once/${ticket}`
  }

  mount(pages: Hono, parts: ConsoleParts): void {
    pages.get('/console/shown-once/:ticket', (context) => {
      const ticket = context.req.param('ticket')
      const secret = this.#secrets.get(ticket)
      this.#secrets.delete(ticket)
      if (secret === undefined) {
        return context.html(
          messagePage(parts, 'Shown already', 'It was shown once, and is not kept. Make a new one.'),
          410,
        )
      }
      return context.html(secretPage(parts, secret))
    })
  }
}

function secretPage(parts: ConsoleParts, { title, text, advice, next }: Secret) {
  return page(parts, {
    title,
    content: html`
      <h1>${title}</h1>
      <section class="card once">
        <p><strong>Shown this once.</strong> ${advice}</p>
        ${codeBlock('secret', text)}
        <p><a class="button" href="${next}">I have kept it</a></p>
      </section>`,
  })
}
