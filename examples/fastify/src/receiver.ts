import { createReceiver } from '@notewire/webhooks'
import { unread } from './unread.ts'

// Made once, in its own file; the application only mounts it.
export const receiver = createReceiver({
  // A function: the secret is not known before the endpoint is registered, and may rotate while the server runs.
  secret: () => process.env['NOTES_SIGNING_SECRET']?.split(','),
  on: {
    'note.ended': ({ data }) => unread.add(data),
    'note.summary.generated': ({ data }) => unread.add(data),
    'note.updated': ({ data }) => unread.add(data),
    // Deleted, or out of our sight: either way nobody can read it any longer.
    'note.deleted': ({ data }) => unread.remove(data.note_id),
  },
})
