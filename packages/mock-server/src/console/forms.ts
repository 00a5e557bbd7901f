import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ServiceParts } from '../api/service-parts.ts'
import { MockServerError, type Refusal } from '../errors/mock-server-error.ts'
import { codeBlock, messagePage, page } from './page.ts'

/**
 * How the text of a field becomes a value, by what follows the colon in the name of the field: `title:null`. `:whole` is JSON with all
 * fields of the operation.
 */
const READERS: Readonly<Record<string, (texts: readonly string[]) => unknown>> = {
  text: ([text]) => text || undefined,
  null: ([text]) => text || null,
  list: (texts) => texts.filter((text) => text !== ''),
  json: ([text = '']) => parsed(text),
  numbers: ([text]) => text?.match(/[^\s,]+/g)?.map(Number),
  percent: ([text]) => (text === '' || text === '100' ? undefined : Number(text) / 100),
}

/**
 * Answers the forms of the console. The path of a form names an operation of the control API: `/console/act/POST/control/notes`.
 * Its field `next` is the path of the page that follows, in which `{note_id}` is a field of the operation's answer.
 */
export function mountForms(
  pages: Hono,
  parts: ServiceParts,
  answerControl: (request: Request) => Response | Promise<Response>,
): void {
  /** Keys and signing secrets, until the page that shows them is opened: each is shown once (contract §2). */
  const secrets = new Map<string, Secret>()

  pages.post('/console/act/:method{POST|PUT|PATCH|DELETE}/control/*', async (context) => {
    const { next, input } = await readForm(context)
    const method = context.req.param('method')
    const url = context.req.url.replace(`/console/act/${method}`, '')
    const answer = await answerControl(new Request(url, { method, body: JSON.stringify(input) }))
    const fields = (await answer.json().catch(() => ({}))) as Readonly<Record<string, string>>
    if (!answer.ok) {
      const { error } = fields as unknown as { readonly error: Refusal }
      return context.html(messagePage(parts, 'Request refused', error), answer.status as ContentfulStatusCode)
    }
    const shown = next.replace(/\{(\w+)\}/g, (_, name: string) => fields[name] ?? '')
    const { signing_secret, api_key, key = api_key } = fields
    const text = signing_secret ?? key
    if (text === undefined) return context.redirect(shown, 303)
    const ticket = crypto.randomUUID()
    secrets.set(ticket, { ...(signing_secret === undefined ? API_KEY : SIGNING_SECRET), text, next: shown })
    return context.redirect(`/console/shown-once/${ticket}`, 303)
  })

  pages.get('/console/shown-once/:ticket', (context) => {
    const ticket = context.req.param('ticket')
    const secret = secrets.get(ticket)
    secrets.delete(ticket)
    if (secret !== undefined) return context.html(secretPage(parts, secret))
    const problem = 'this secret was already shown, and is shown only once'
    return context.html(messagePage(parts, 'Already shown', { problem, remedy: 'Create a new one.' }), 410)
  })
}

/** Browsers send line ends as CRLF, which become LF. */
async function readForm(context: Context): Promise<{ readonly next: string; readonly input: object }> {
  try {
    const form = await context.req.parseBody({ all: true })
    const entries = Object.entries(form).flatMap(([name, value]) => {
      const texts = [value].flat().map((text) => (typeof text === 'string' ? text.replaceAll('\r\n', '\n') : ''))
      const [field = '', kind = 'text'] = name.split(':')
      return kind === 'whole' ? Object.entries(parsed(texts[0] ?? '')) : [[field, READERS[kind]?.(texts)] as const]
    })
    const { next, ...input } = Object.fromEntries(entries)
    if (typeof next === 'string' && /^\/console\P{Cc}*$/u.test(next)) return { next, input }
  } catch (error) {
    if (error instanceof MockServerError) throw error
    // What is no form of the console is refused below.
  }
  const remedy = 'Send it from a page of the console. Programs use the control API.'
  throw new MockServerError('form_malformed', 'the form cannot be read', remedy)
}

function parsed(text: string): object {
  try {
    return JSON.parse(text)
  } catch {
    throw new MockServerError('json_invalid', 'a field of the form is not JSON', 'Go back, and correct it.')
  }
}

interface Secret {
  readonly title: string
  readonly advice: string
  readonly text: string
  readonly next: string
}

const API_KEY = {
  title: 'API key',
  advice: 'Store it in the configuration of the client, and keep it out of logs and URLs.',
}
const SIGNING_SECRET = {
  title: 'Signing secret',
  advice: 'Store it in the configuration of the receiver. Keep it secret: it can sign deliveries.',
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
