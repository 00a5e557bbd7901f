import { receiver } from '../../../lib/receiver.ts'

export const runtime = 'edge'
export const POST = receiver.fetch
