/**
 * Tells whether an IP address is one of the public internet: not private, loopback, link-local, a cloud's metadata service, or
 * anything else that IANA keeps for a special purpose. An IPv4 address in an IPv6 one (v4-mapped, NAT64) is judged by itself.
 *
 * @param address  IPv4 in dotted decimal, or IPv6 with or without brackets and zone
 * @returns `false` for what is no address, too
 */
export function isPublicAddress(address: string): boolean {
  const bytes = bytesOf(address.replace(/^\[|\]$/g, '').replace(/%.*$/, ''))
  if (bytes === undefined) return false
  if (bytes.length === 4) return !isIn(SPECIAL_V4, bytes)
  if (isIn(EMBEDDING_V4, bytes)) return !isIn(SPECIAL_V4, bytes.slice(12))
  return isIn(GLOBAL_V6, bytes) && !isIn(SPECIAL_V6, bytes)
}

type Network = readonly [first: string, bits: number]

/** IANA's IPv4 Special-Purpose Address Registry, multicast, and Azure's metadata service, which has a public address. */
const SPECIAL_V4 = networks([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
])

/** v4-mapped addresses, and those that a NAT64 translates: the last 32 bits are where the packet ends up. */
const EMBEDDING_V4 = networks([
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
])

/** All that is routed globally. Loopback, link-local, unique local, multicast and local NAT64 prefixes are outside. */
const GLOBAL_V6 = networks([['2000::', 3]])

/** What IANA keeps within it: protocol assignments with Teredo, documentation, 6to4, AS112. */
const SPECIAL_V6 = networks([
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
])

function networks(list: readonly Network[]): readonly { readonly first: readonly number[]; readonly bits: number }[] {
  return list.map(([first, bits]) => ({ first: bytesOf(first) ?? [], bits }))
}

function isIn(list: ReturnType<typeof networks>, bytes: readonly number[]): boolean {
  return list.some(({ first, bits }) =>
    first.every((byte, index) => {
      const compared = Math.min(8, Math.max(0, bits - index * 8))
      return byte >> (8 - compared) === (bytes[index] ?? 0) >> (8 - compared)
    }),
  )
}

function bytesOf(address: string): readonly number[] | undefined {
  return address.includes(':') ? bytesOfV6(address) : bytesOfV4(address)
}

function bytesOfV4(address: string): readonly number[] | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) return undefined
  const bytes = address.split('.').map(Number)
  return bytes.every((byte) => byte <= 255) ? bytes : undefined
}

function bytesOfV6(address: string): readonly number[] | undefined {
  const [, groups = '', v4] = /^(.*:)(\d+\.[\d.]+)$/.exec(address) ?? [address, address]
  const tail = v4 === undefined ? [] : bytesOfV4(v4)
  const halves = groups.replace(v4 === undefined ? '' : /(?<!:):$/, '').split('::')
  const [head, rest = []] = halves.map((half) => half.split(':').filter((group) => group !== ''))
  if (head === undefined || tail === undefined || halves.length > 2) return undefined
  const written = [...head, ...rest]
  const missing = 8 - written.length - tail.length / 2
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  if (!written.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined
  return [...head.flatMap(pair), ...Array<number>(missing * 2).fill(0), ...rest.flatMap(pair), ...tail]
}

function pair(group: string): readonly number[] {
  const value = Number.parseInt(group, 16)
  return [value >> 8, value & 255]
}
