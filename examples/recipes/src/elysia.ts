import { Elysia } from 'elysia'
import { endedNotes, receiver } from './receiver.ts'

const app = new Elysia()
  // With `parse: 'none'`, Elysia leaves the body to the receiver.
  .post('/webhooks/notes', ({ request }) => receiver.fetch(request), { parse: 'none' })
  .post('/echo', ({ body }) => body)
  .get('/notes', () => endedNotes)
  .listen(Number(process.env['PORT'] ?? 3000))
console.log(`listening at ${app.server?.url}`)
