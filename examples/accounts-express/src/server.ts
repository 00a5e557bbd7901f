import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expressHandler } from '@notewire/webhooks/express'
import express from 'express'
import { accountOf, connect, disconnect, mirrors, pool, receivers } from './customers.ts'

const app = express()
// Mount the receivers before any body parser: they verify the signature of the raw body.
app.post('/webhooks/notes/:integration', expressHandler(receivers))

app.use((request, response, next) => {
  // Every browser sends this header, and no page can set it. It rejects forms of other sites.
  const isForeign = request.method === 'POST' && request.headers['sec-fetch-site'] !== 'same-origin'
  if (isForeign) return void response.sendStatus(403)
  // Put your sign-in here. In this example a browser is a customer. Ids are in URLs, so they must not reveal the cookie.
  const session = /(?:^|; )session=([\w-]{43})/.exec(request.headers.cookie ?? '')?.[1]
  const cookie = session ?? randomBytes(32).toString('base64url')
  if (cookie !== session) response.cookie('session', cookie, { httpOnly: true, secure: true, sameSite: 'lax' })
  response.locals['customer'] = createHash('sha256').update(cookie).digest('base64url')
  response.set('content-security-policy', "default-src 'self'; frame-ancestors 'none'")
  next()
})
app.use(express.static(`${import.meta.dirname}/../public`))

/** Sends the account to the page whenever it changes. */
app.get('/account', async (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  for (let sent = ''; !response.destroyed; await sleep(1_000)) {
    const account = JSON.stringify(await accountOf(response.locals['customer']))
    if (account !== sent) response.write(`data: ${account}\n\n`)
    sent = account
  }
})
app.post('/connect', express.urlencoded(), async ({ body }, response) => {
  try {
    await connect(response.locals['customer'], String(body?.apiKey ?? ''))
    response.redirect(303, '/')
  } catch (error) {
    console.error(response.locals['customer'], 'could not connect:', error)
    response.redirect(303, '/?refused')
  }
})
app.post('/disconnect', async (_request, response) => {
  await disconnect(response.locals['customer'])
  response.redirect(303, '/')
})

const port = Number(process.env['PORT'] ?? 3000)
const server = app.listen(port, (error) => {
  if (error) throw error
  console.log(`listening on port ${port}`)
})
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
await mirrors.run({ signal: stop.signal })
server.close().closeAllConnections()
await receivers.close()
await pool.end()
