import { createReceiver } from '@notewire/webhooks'

// Made once, in its own file; the route only mounts it. The build needs no secret.
export const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET']?.split(','),
  on: {
    'note.ended': ({ data }, { logger }) => logger.info(`${data.note_id} has ended`),
  },
})
