import { fastifyPlugin } from '@notewire/webhooks/fastify'
import { fastify } from 'fastify'
import { receiver } from './receiver.ts'
import { unread } from './unread.ts'

export const app = fastify()

// Its route reads the raw bytes; the routes below have Fastify's JSON parser as ever.
app.register(fastifyPlugin, { receiver, url: '/webhooks/notes' })

app.get('/unread', async () => Object.fromEntries(unread.revisions))

app.post<{ Body: { note_id: string } }>('/read', async (request, reply) => {
  unread.remove(request.body.note_id)
  return reply.code(204).send()
})

app.addHook('onClose', () => receiver.close())
