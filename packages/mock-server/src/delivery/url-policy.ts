import ipaddr from 'ipaddr.js'
import type { Refusal } from '../errors/mock-server-error.ts'

/**
 * The URLs that endpoints may have. `'local'` accepts every `http:` and `https:` URL, for development. `'public-https'` accepts what
 * the contract allows (§2): `https:` URLs whose host is an address of the public internet, or a name that can be public. Names are not
 * resolved.
 */
export type UrlPolicyName = 'local' | 'public-https'

/** Why an endpoint cannot have this URL, or `undefined` if it can. */
export function urlRefusalOf(policy: UrlPolicyName, { protocol, hostname }: URL): Refusal | undefined {
  if (policy === 'local') {
    if (protocol === 'https:' || protocol === 'http:') return undefined
    const problem = '"url" must be an absolute https URL, or an http URL for development'
    return { problem, remedy: 'Pass such a URL.' }
  }
  if (protocol !== 'https:') return notPublic('', 'Pass a URL that begins with https://.')
  if (isPublicHost(hostname)) return undefined
  return notPublic(': its host is not on the public internet', 'Pass a public host name or address.')
}

/** Top-level names that are never public: RFC 6761, RFC 6762, and ICANN's reservation of `internal`. */
const NEVER_PUBLIC = ['localhost', 'local', 'internal']

/** @param hostname  as in a `URL`, which writes every IPv4 address in dotted decimal, and IPv6 in brackets */
function isPublicHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(address)) return ipaddr.process(address).range() === 'unicast'
  const labels = hostname.replace(/\.$/, '').split('.')
  return labels.length > 1 && !NEVER_PUBLIC.includes(labels.at(-1) ?? '')
}

function notPublic(reason: string, remedy: string): Refusal {
  return { problem: `"url" must be a public https URL${reason}`, remedy }
}
