import { createReceiver } from '@notewire/webhooks'

// The build evaluates this file without a secret.
export const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET']?.split(','),
  on: {
    'note.ended': ({ data }, { logger }) => logger.info(`${data.note_id} has ended`),
  },
})
