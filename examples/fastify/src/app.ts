import { fastifyPlugin } from '@notewire/webhooks/fastify'
import { fastify } from 'fastify'
import { receiver } from './receiver.ts'
import { unread } from './unread.ts'

export const app = fastify()

// The route of the plugin reads the raw body. The other routes use Fastify's JSON parser.
app.register(fastifyPlugin, { receiver, url: '/webhooks/notes' })

app.get('/unread', async () => Object.fromEntries(unread.revisions))

app.post<{ Body: { note_id: string } }>('/read', async (request, reply) => {
  unread.remove(request.body.note_id)
  return reply.code(204).send()
})

app.addHook('onClose', () => receiver.close())
