import { createReceiver } from '@notewire/webhooks'
import type { ActionFunctionArgs } from 'react-router'

const receiver = createReceiver({
  secret: () => process.env['NOTES_SIGNING_SECRET'],
  on: { 'note.ended': ({ data }, { logger }) => logger.info(`${data.note_id} has ended`) },
})

export const action = ({ request }: ActionFunctionArgs) => receiver.fetch(request)
