import { createReceiver } from '@notewire/webhooks'

// All routes use this receiver. `next build` evaluates this file without a secret.
export const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET']?.split(','),
  on: {
    'note.ended': ({ data }, { logger }) => logger.info(`${data.note_id} has ended`),
    'note.updated': ({ data }, { logger }) => logger.info(`${data.note_id} is at revision ${data.revision}`),
    'note.deleted': ({ data }, { logger }) => logger.info(`${data.note_id} is gone`),
  },
})
