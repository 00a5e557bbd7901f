import { isPublicAddress } from './public-address.ts'
import { publicHttpsSender } from './public-https-sender.ts'
import { type Resolve, resolveByDns } from './resolve.ts'

/**
 * Which URLs endpoints may have: `'local'` takes any `http:` or `https:` one, for development; `'public-https'` takes what the
 * contract says (§2), and refuses addresses that are not of the public internet after resolution.
 */
export type UrlPolicyName = 'local' | 'public-https'

/** What a policy decides. */
export interface UrlPolicy {
  /** Why an endpoint cannot have a URL, in words, or nothing. */
  refusalOf(url: URL): Promise<string | undefined>
  /** Sends a request, or rejects when it would go where it must not. */
  send(request: Request): Promise<Response>
}

/** The policy of this name. */
export function urlPolicyOf(name: UrlPolicyName, resolve: Resolve = resolveByDns): UrlPolicy {
  return name === 'local' ? local : publicHttps(resolve)
}

const local: UrlPolicy = {
  refusalOf: async ({ protocol }) =>
    protocol === 'https:' || protocol === 'http:'
      ? undefined
      : '"url" must be an absolute https URL, or an http one for development.',
  // Looked up at each attempt, so that a fetch put there later (instrumentation, MSW) is used.
  send: (request) => globalThis.fetch(request),
}

function publicHttps(resolve: Resolve): UrlPolicy {
  return {
    async refusalOf({ protocol, hostname }) {
      if (protocol !== 'https:') return '"url" must be a public https URL.'
      // What cannot be resolved now may be later; every attempt looks again.
      const addresses = await resolve(hostname).catch(() => [])
      return addresses.every(isPublicAddress)
        ? undefined
        : '"url" must be a public https URL: its host is, or resolves to, an address that is not of the public internet.'
    },
    send: publicHttpsSender({ resolve, admits: isPublicAddress }),
  }
}
