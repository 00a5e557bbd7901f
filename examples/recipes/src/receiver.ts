import { createReceiver } from '@notewire/webhooks'

/** The notes that have ended. A real application does its work in the handler instead. */
export const endedNotes: string[] = []

// Every recipe mounts this receiver.
export const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET'],
  on: { 'note.ended': ({ data }) => void endedNotes.push(data.note_id) },
})
