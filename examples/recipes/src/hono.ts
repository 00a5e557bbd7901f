import { Hono } from 'hono'
import { endedNotes, receiver } from './receiver.ts'

export const app = new Hono()

// Mount the receiver before any middleware that reads bodies, such as a validator for all routes.
app.post('/webhooks/notes', ({ req }) => receiver.fetch(req.raw))

app.use(async ({ req }, next) => {
  if (req.method === 'POST') await req.json()
  await next()
})
app.post('/echo', async (context) => context.json(await context.req.json()))
app.get('/notes', (context) => context.json(endedNotes))
