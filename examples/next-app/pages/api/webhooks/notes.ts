import { pagesHandler } from '@notewire/webhooks/next'
import { receiver } from '../../../lib/receiver.ts'

// Next reads this without running the file: it must stand here, as a literal.
export const config = { api: { bodyParser: false } }

export default pagesHandler(receiver)
