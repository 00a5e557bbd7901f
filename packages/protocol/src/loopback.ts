/**
 * Tells whether a host name or an IP address is this machine, so that plain HTTP to it can be read by no other machine. An IPv6 address may
 * have brackets, as in a URL.
 */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|\[::1\]|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i.test(host)
}
