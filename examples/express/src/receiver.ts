import { createReceiver } from '@notewire/webhooks'
import { archive } from './archive.ts'

// Made once, in its own file; the application only mounts it.
export const receiver = createReceiver({
  // A function: the secret is not known before the endpoint is registered, and may rotate while the server runs.
  secret: () => process.env['NOTES_SIGNING_SECRET']?.split(','),
  on: {
    'note.ended': ({ data }) => archive.refresh(data.note_id),
    'note.summary.generated': ({ data }) => archive.refresh(data.note_id),
    'note.updated': ({ data }) => archive.refresh(data.note_id),
    // Deleted, or out of our sight: either way our copy must go.
    'note.deleted': ({ data }) => archive.remove(data.note_id),
  },
})
