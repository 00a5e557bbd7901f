import { pagesHandler } from '@notewire/webhooks/next'
import { receiver } from '../../../lib/receiver.ts'

// This file has a mistake, for a test: the config that disables Next's body parser is missing.
export default pagesHandler(receiver)
