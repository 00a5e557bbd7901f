import { createReceiver } from '@notewire/webhooks'
import { unread } from './unread.ts'

// The application has one receiver, which this file creates.
export const receiver = createReceiver({
  // This is a function because the secret is unknown until the endpoint is registered, and can change while the server runs.
  secret: () => process.env['NOTES_SIGNING_SECRET']?.split(','),
  on: {
    'note.ended': ({ data }) => unread.add(data),
    'note.summary.generated': ({ data }) => unread.add(data),
    'note.updated': ({ data }) => unread.add(data),
    // The note was deleted, or the key can no longer access it. In both cases, it can no longer be read.
    'note.deleted': ({ data }) => unread.remove(data.note_id),
  },
})
