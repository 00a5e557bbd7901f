import { createReceiver } from '@notewire/webhooks'

// Made once, in its own file; the routes only mount it. `next build` evaluates this without any secret.
export const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET']?.split(','),
  on: {
    'note.ended': ({ data }, { logger }) => logger.info(`${data.note_id} has ended`),
    'note.updated': ({ data }, { logger }) => logger.info(`${data.note_id} is at revision ${data.revision}`),
    'note.deleted': ({ data }, { logger }) => logger.info(`${data.note_id} is gone`),
  },
})
