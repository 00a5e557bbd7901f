import type { Refusal } from '../errors/mock-server-error.ts'
import { isNeverPublic, isPublicAddress } from './public-address.ts'
import { publicHttpsSender, type Resolve, resolveByDns } from './public-https-sender.ts'

/**
 * The URLs that endpoints may have. `'local'` accepts every `http:` and `https:` URL, for development. `'public-https'` accepts what
 * the contract allows (§2): `https:` URLs whose host is, or resolves to, addresses of the public internet.
 */
export type UrlPolicyName = 'local' | 'public-https'

export interface UrlPolicy {
  /** Why an endpoint cannot have this URL, or `undefined` if it can. */
  refusalOf(url: URL): Promise<Refusal | undefined>
  /** Sends a request, or rejects if the policy refuses the address. */
  send(request: Request): Promise<Response>
}

export function urlPolicyOf(name: UrlPolicyName, resolve: Resolve = resolveByDns): UrlPolicy {
  return name === 'local' ? local : publicHttps(resolve)
}

const local: UrlPolicy = {
  refusalOf: async ({ protocol }) =>
    protocol === 'https:' || protocol === 'http:'
      ? undefined
      : { problem: '"url" must be an absolute https URL, or an http URL for development', remedy: 'Pass such a URL.' },
  // Read at each attempt, so that a `fetch` that is installed later (instrumentation, MSW) is used.
  send: (request) => globalThis.fetch(request),
}

function publicHttps(resolve: Resolve): UrlPolicy {
  return {
    async refusalOf({ protocol, hostname }) {
      if (protocol !== 'https:') return notPublic('', 'Pass a URL that begins with https://.')
      if (isNeverPublic(hostname)) {
        return notPublic(': its host name is never public', 'Pass a host name that resolves on the internet.')
      }
      // A name that does not resolve now may resolve later. Every attempt resolves it again.
      const addresses = await resolve(hostname).catch(() => [])
      if (addresses.every(isPublicAddress)) return undefined
      const reason = ': its host is, or resolves to, an address outside the public internet'
      return notPublic(reason, 'Pass a host with public addresses only.')
    },
    send: publicHttpsSender({ resolve, isAllowed: isPublicAddress }),
  }
}

function notPublic(reason: string, remedy: string): Refusal {
  return { problem: `"url" must be a public https URL${reason}`, remedy }
}
