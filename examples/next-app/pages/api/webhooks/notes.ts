import { pagesHandler } from '@notewire/webhooks/next'
import { receiver } from '../../../lib/receiver.ts'

// Next reads this without running the file, so it must be a literal in this file.
export const config = { api: { bodyParser: false } }

export default pagesHandler(receiver)
