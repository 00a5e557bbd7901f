import { createReceiver } from '@notewire/webhooks'

/** The notes that have ended. A real application does its work where this list grows. */
export const endedNotes: string[] = []

// Made once, in its own file; every recipe only mounts it.
export const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET'],
  on: { 'note.ended': ({ data }) => void endedNotes.push(data.note_id) },
})
