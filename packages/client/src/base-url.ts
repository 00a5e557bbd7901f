import { API_VERSION_PREFIX, OptionError } from '@notewire/protocol'

/**
 * Reads the option `baseUrl`: where the service is, without the version prefix, which every path brings itself.
 *
 * @returns the URL without a slash at its end; a prefix of the path is kept
 * @throws `OptionError` naming what is wrong, and never quoting credentials
 */
export function parseBaseUrl(baseUrl: unknown): string {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) throw invalid('is not an absolute URL')
  const url = new URL(baseUrl)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw invalid(`starts with ${url.protocol}//, but the API key travels encrypted or to this machine alone`)
  }
  if (url.username !== '' || url.password !== '') throw invalid('holds credentials, which the API key replaces')
  if (url.search !== '' || url.hash !== '') throw invalid('holds a query or a fragment')
  const path = url.pathname.replace(/\/+$/, '')
  const prefix = path.endsWith(API_VERSION_PREFIX) ? path.slice(0, -API_VERSION_PREFIX.length) : path
  return url.origin + prefix.replace(/\/+$/, '')
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

function invalid(problem: string): OptionError {
  return new OptionError(
    'baseUrl',
    `baseUrl ${problem}. Pass the address of the notes service, as https://notes.example.`,
  )
}
