import { API_VERSION_PREFIX, isLoopback, OptionError } from '@notewire/protocol'

/**
 * Reads the option `baseUrl`.
 *
 * @param source  its name in errors: the option, or the environment variable
 * @returns the URL without the version prefix and without a slash at its end; any other path is kept
 * @throws `OptionError` that never quotes credentials
 */
export function parseBaseUrl(baseUrl: unknown, source = 'baseUrl'): string {
  const url = absoluteUrl(baseUrl, source)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw invalid(
      source,
      `starts with ${url.protocol}//, but the client sends the API key only over https, or over http to this machine`,
    )
  }
  if (url.username !== '' || url.password !== '')
    throw invalid(source, 'contains a user name or a password, but the client authenticates with the API key only')
  if (url.search !== '' || url.hash !== '')
    throw invalid(source, 'contains a query or a fragment, which a base URL cannot have')
  const path = url.pathname.replace(TRAILING_SLASHES, '')
  const prefix = path.endsWith(API_VERSION_PREFIX) ? path.slice(0, -API_VERSION_PREFIX.length) : path
  return url.origin + prefix.replace(TRAILING_SLASHES, '')
}

function absoluteUrl(given: unknown, source: string): URL {
  if (given instanceof URL)
    throw new OptionError('baseUrl', `${source} is a URL, not a string. Pass its href: url.href.`)
  if (typeof given === 'string' && /^["'`]/.test(given)) throw invalid(source, 'has quotes around it')
  if (typeof given === 'string' && URL.canParse(given)) return new URL(given)
  const isHidden = typeof given === 'string' && /^[^!-~]+http/.test(given)
  throw invalid(source, isHidden ? 'begins with an invisible character' : 'is not an absolute URL')
}

/** Without the look behind, it would be tried at every slash of a path with many slashes, which takes quadratic time. */
const TRAILING_SLASHES = /(?<!\/)\/+$/

function invalid(source: string, problem: string): OptionError {
  return new OptionError(
    'baseUrl',
    `${source} ${problem}. Pass the address of the notes service, such as https://notes.example.`,
  )
}
