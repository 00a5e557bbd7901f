/** Tells whether a host, as it stands in a URL or without brackets, is this machine, where nobody listens in on http. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.*\.)?localhost|\[?::1\]?|127(?:\.\d+){3})$/.test(host)
}
