import { defineHandler } from 'nitro/h3'
import { receiver } from '../../lib/receiver.ts'

export default defineHandler(({ req }) => receiver.fetch(req))
