import { createReceiver } from '@notewire/webhooks'
import type { APIRoute } from 'astro'

const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET'],
  on: { 'note.ended': ({ data }, { logger }) => logger.info(`${data.note_id} has ended`) },
})

export const POST: APIRoute = ({ request }) => receiver.fetch(request)
