import { createReceiver } from '@notewire/webhooks'
import { archive } from './archive.ts'

// The application has one receiver, which this file creates.
export const receiver = createReceiver({
  // This is a function because the secret is unknown until the endpoint is registered, and can change while the server runs.
  secret: () => process.env['NOTES_SIGNING_SECRET']?.split(','),
  on: {
    'note.ended': ({ data }) => archive.refresh(data.note_id),
    'note.summary.generated': ({ data }) => archive.refresh(data.note_id),
    'note.updated': ({ data }) => archive.refresh(data.note_id),
    // The note was deleted, or the key can no longer access it. In both cases, the copy must be removed.
    'note.deleted': ({ data }) => archive.remove(data.note_id),
  },
})
