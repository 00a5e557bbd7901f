import { receiver } from '../../../lib/receiver.ts'

export const POST = receiver.fetch
