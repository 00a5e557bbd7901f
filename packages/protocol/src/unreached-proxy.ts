const DEEPEST_CAUSE = 5

/**
 * The place of a failed connection, if it is not the place of the URL: a proxy that is down or has no such name. Its user name and password are
 * not in the error.
 *
 * @param thrown  what `fetch` threw
 * @returns the host, with the port if it is known
 */
export function unreachedProxy(thrown: unknown, url: URL): string | undefined {
  let error = thrown
  for (let depth = 0; depth < DEEPEST_CAUSE && error instanceof Error; depth += 1) {
    const place = otherPlaceIn(error, url)
    if (place !== undefined) return place
    error = error.cause
  }
  return undefined
}

function otherPlaceIn(error: Error, { hostname, port, protocol }: URL): string | undefined {
  const { hostname: host, address, port: at }: Readonly<Record<string, unknown>> = { ...error }
  if (typeof host === 'string') return host === hostname ? undefined : host
  const isOther = at !== undefined && `${at}` !== (port || (protocol === 'https:' ? '443' : '80'))
  return isOther && address !== undefined ? `${address}:${at}` : undefined
}
