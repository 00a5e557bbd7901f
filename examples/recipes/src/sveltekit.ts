// src/routes/webhooks/notes/+server.ts
import { receiver } from './receiver.ts'

/** SvelteKit passes an event that holds the request; its type is `RequestHandler` of `./$types`. */
export const POST = ({ request }: { readonly request: Request }): Promise<Response> => receiver.fetch(request)
