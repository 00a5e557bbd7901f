import { clientAgainstAPort } from './client-against-a-port.ts'
import { receiverRoundTrip } from './receiver-round-trip.ts'
import { verifierVectors } from './verifier-vectors.ts'

const checks: Readonly<Record<string, (argument: never) => Promise<unknown>>> = {
  '/verifier-vectors': verifierVectors,
  '/receiver-round-trip': receiverRoundTrip,
  '/client-against-a-port': clientAgainstAPort,
}

/** A Worker: the path names the check, the body is its argument. The mock server needs a port, and is not for Workers. */
export default {
  async fetch(request: Request): Promise<Response> {
    try {
      const check = checks[new URL(request.url).pathname]
      if (check === undefined) return new Response('there is no such check', { status: 404 })
      return Response.json(await check((await request.json()) as never))
    } catch (error) {
      return new Response(error instanceof Error ? error.stack : String(error), { status: 500 })
    }
  },
}
