import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import { codeBlock, messagePage, page } from './page.ts'

/** A key or a signing secret, which is shown once (contract §2). */
interface Secret {
  readonly title: string
  readonly text: string
  readonly advice: string
  /** The path of the page that follows. */
  readonly next: string
}

/** Holds keys and secrets until the page that shows them is opened. */
export class ShownOnce {
  readonly #secrets = new Map<string, Secret>()

  /** @returns the path of a page that shows it once */
  keep(secret: Secret): string {
    const ticket = crypto.randomUUID()
    this.#secrets.set(ticket, secret)
    return `/console/shown-once/${ticket}`
  }

  mount(pages: Hono, parts: ServiceParts): void {
    pages.get('/console/shown-once/:ticket', (context) => {
      const ticket = context.req.param('ticket')
      const secret = this.#secrets.get(ticket)
      this.#secrets.delete(ticket)
      if (secret === undefined) {
        const refusal = {
          problem: 'this secret was already shown, and is shown only once',
          remedy: 'Create a new one.',
        }
        return context.html(messagePage(parts, 'Already shown', refusal), 410)
      }
      return context.html(secretPage(parts, secret))
    })
  }
}

function secretPage(parts: ServiceParts, { title, text, advice, next }: Secret) {
  return page(parts, {
    title,
    content: html`
      <h1>${title}</h1>
      <section class="card once">
        <p><strong>Shown only once.</strong> ${advice}</p>
        ${codeBlock('secret', text)}
        <p><a class="button" href="${next}">I have copied it</a></p>
      </section>`,
  })
}
