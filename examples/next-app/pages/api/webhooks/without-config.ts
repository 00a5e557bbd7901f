import { pagesHandler } from '@notewire/webhooks/next'
import { receiver } from '../../../lib/receiver.ts'

// A mistake, for the test to show what becomes of it: the config that switches Next's body parser off is missing.
export default pagesHandler(receiver)
