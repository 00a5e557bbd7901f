import { createHash, randomBytes } from 'node:crypto'
import { createReceivers, type Receivers } from '@notewire/webhooks'
import type { Account, Env } from './account.ts'

export { Account } from './account.ts'

let receivers: Receivers | undefined
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Verifies deliveries with the secrets of the registry, so that a forged delivery wakes no object. */
function receiversOf({ REGISTRY, ACCOUNTS }: Env): Receivers {
  const select = REGISTRY.prepare('SELECT signing_secret FROM accounts WHERE id = ?')
  receivers ??= createReceivers({
    secretOf: (id) => select.bind(id).first<string>('signing_secret'),
    sink: (event, { integration }) => ACCOUNTS.getByName(integration).hear(event, integration),
  })
  return receivers
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, origin } = new URL(request.url)
    if (pathname.startsWith('/webhooks/notes/'))
      return await receiversOf(env).for(pathname.split('/')[3]).fetch(request)
    // Put your sign-in here. In this example a browser is a customer. Ids are in URLs, so they must not reveal the cookie.
    const known = /(?:^|; )session=([\w-]{43})/.exec(request.headers.get('cookie') ?? '')?.[1]
    const session = known ?? randomBytes(32).toString('base64url')
    const id = createHash('sha256').update(session).digest('base64url')
    const account = env.ACCOUNTS.getByName(id)
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'set-cookie': `session=${session}; HttpOnly; Secure; SameSite=Lax; Path=/`,
    }
    if (request.method === 'GET') return new Response(pageOf(await account.show(id)), { headers })
    // Every browser sends this header, and no page can set it. It rejects forms of other sites.
    if (request.headers.get('sec-fetch-site') !== 'same-origin') return new Response(null, { status: 403 })
    const apiKey = (await request.formData()).get('apiKey')
    if (apiKey === null) await account.remove(id)
    else if (!(await account.add(id, String(apiKey), `${origin}/webhooks/notes/${id}`))) {
      return new Response('The service refused the key, or another customer uses it.', { status: 422 })
    }
    receiversOf(env).forgetSecret(id)
    return new Response(null, { status: 303, headers: { ...headers, location: '/' } })
  },
}

function pageOf(account: Awaited<ReturnType<Account['show']>>): string {
  const field = '<label>API key <input name="apiKey" type="password" autocomplete="off" required></label>'
  if (account === undefined) return `<form method="post">${field} <button>Connect</button></form>`
  const { state, events = 'none', notes } = account
  const items = notes.map(({ title }) => `<li>${escaped(title ?? 'Untitled')}</li>`)
  return `<meta http-equiv="refresh" content="5"><ul>${items.join('')}</ul>
    <form method="post">${state}, events: ${events} <button>Disconnect and erase</button></form>`
}
