/** How to get at the bytes that were signed, in the words of several frameworks. */
export const VERIFY_RAW_BYTES =
  "Verify the bytes as they came, before any JSON parser: express.raw({ type: '*/*' }) on the route in Express, addContentTypeParser with parseAs: 'buffer' in Fastify, await request.text() in Next, request.body in Django, request.get_data() in Flask, io.ReadAll(r.Body) in Go, request.raw_post in Rails."

/** How to do everything about signatures at once. */
export const USE_A_VERIFIER =
  'In JavaScript createVerifier of @notewire/webhooks/verify does all of this; the vectors of that package (@notewire/webhooks/vectors) test one in any language.'
