import { createReceiver } from '@notewire/webhooks'
import { defineEventHandler, toWebRequest } from 'h3'

const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET'],
  on: { 'note.ended': ({ data }, { logger }) => logger.info(`${data.note_id} has ended`) },
})

export default defineEventHandler((event) => receiver.fetch(toWebRequest(event)))
