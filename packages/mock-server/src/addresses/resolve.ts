/** Finds the IP addresses of a host name. An address, with or without brackets, is its own. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** Asks the system's resolver, hosts file included: what a connection would be made to. */
export const resolveByDns: Resolve = async (hostname) => {
  if (hostname.startsWith('[')) return [hostname.slice(1, -1)]
  // Loaded when it is needed: not every runtime has it.
  const { lookup } = await import('node:dns/promises')
  const found = await lookup(hostname, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}
