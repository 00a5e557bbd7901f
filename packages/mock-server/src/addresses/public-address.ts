import ipaddr from 'ipaddr.js'

type Range = [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** Ranges of IANA's special-purpose registries, and Azure's metadata service, that `ipaddr.js` does not know. */
const ALSO_SPECIAL: { readonly special: Range[] } = {
  special: ['168.63.129.16/32', '192.31.196.0/24', '2001::/23', '2620:4f:8000::/48', '3fff::/20'].map((range) =>
    ipaddr.parseCIDR(range),
  ),
}

/** The IPv6 addresses that are routed globally. It contains some of the special ranges. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3')

/** Translation by NAT64: the last 32 bits are the IPv4 address to which the packet goes. */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96')

/**
 * Whether an IP address belongs to the public internet: it is not private, loopback, link-local, a cloud's metadata service, or
 * reserved by IANA for another special purpose. For an IPv4 address inside an IPv6 address (v4-mapped, NAT64), the IPv4 address
 * decides.
 *
 * @param address  IPv4 in dotted decimal, or IPv6 with or without brackets and zone; `false` for anything else
 */
export function isPublicAddress(address: string): boolean {
  const text = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  // `ipaddr.js` reads the obsolete form `::8.8.8.8` as another address, `::ffff:8.8.8.8`.
  if (/^::\d+\./.test(text)) return false
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return false
  const parsed = destinationOf(ipaddr.process(text))
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_IPV6)) return false
  return parsed.range() === 'unicast' && ipaddr.subnetMatch(parsed, ALSO_SPECIAL, 'ordinary') === 'ordinary'
}

function destinationOf(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  return address instanceof ipaddr.IPv6 && address.match(NAT64)
    ? new ipaddr.IPv4(address.toByteArray().slice(12))
    : address
}

/** The top-level names that are never on the public internet: RFC 6761, RFC 6762, and ICANN's reservation of `internal`. */
const NEVER_PUBLIC = ['localhost', 'local', 'internal']

/** Whether a host name can never be public: a single label such as `intranet`, or a name under `localhost`, `local`, `internal`. */
export function isNeverPublic(hostname: string): boolean {
  if (hostname.startsWith('[') || ipaddr.IPv4.isValid(hostname)) return false
  const labels = hostname.toLowerCase().replace(/\.$/, '').split('.')
  return labels.length < 2 || NEVER_PUBLIC.includes(labels.at(-1) ?? '')
}
