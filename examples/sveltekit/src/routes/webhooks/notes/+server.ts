import type { RequestHandler } from '@sveltejs/kit'
import { receiver } from '../../../lib/server/receiver.ts'

export const POST: RequestHandler = ({ request }) => receiver.fetch(request)
