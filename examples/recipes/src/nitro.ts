// routes/webhooks/notes.post.ts
import { receiver } from './receiver.ts'

/** Nitro 3 passes an `H3Event`, whose `req` is the request; `defineHandler` of `nitro` adds the type alone. */
export default (event: { readonly req: Request }): Promise<Response> => receiver.fetch(event.req)
