/** What an option of curl means for the request. */
export type CurlOption =
  | 'header'
  | 'data'
  | 'data-raw'
  | 'data-binary'
  | 'data-urlencode'
  | 'json'
  | 'upload'
  | 'request'
  | 'url'
  | 'cookie'
  | 'user-agent'
  | 'referer'
  | 'form'
  | 'get'
  | 'next'
  /** It takes a value that says nothing about the request. */
  | 'value'
  /** It takes no value and says nothing about the request. */
  | 'flag'

/** One option of a command, with its value. */
export interface GivenOption {
  readonly option: CurlOption
  readonly value: string
}

const LONG: Readonly<Record<string, CurlOption>> = {
  header: 'header',
  data: 'data',
  'data-ascii': 'data',
  'data-raw': 'data-raw',
  'data-binary': 'data-binary',
  'data-urlencode': 'data-urlencode',
  json: 'json',
  'upload-file': 'upload',
  request: 'request',
  url: 'url',
  cookie: 'cookie',
  'user-agent': 'user-agent',
  referer: 'referer',
  form: 'form',
  'form-string': 'form',
  get: 'get',
  next: 'next',
}

const SHORT: Readonly<Record<string, CurlOption>> = {
  H: 'header',
  d: 'data',
  T: 'upload',
  X: 'request',
  b: 'cookie',
  A: 'user-agent',
  e: 'referer',
  F: 'form',
  G: 'get',
  ':': 'next',
}

const SHORT_WITH_VALUE = new Set('CDEKPQUYchmortuwxyz')
const LONG_WITH_VALUE = new Set(
  'abstract-unix-socket aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to cookie-jar dns-servers doh-url dump-header haproxy-clientip happy-eyeballs-timeout-ms interface keepalive-time key key-type limit-rate local-port max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output output-dir parallel-max pass pinnedpubkey proto proto-default proxy proxy-header proxy-user range rate request-target resolve retry retry-delay retry-max-time socks5 socks5-hostname speed-limit speed-time stderr time-cond tls-max tls13-ciphers trace trace-ascii unix-socket url-query user write-out variable'.split(
    ' ',
  ),
)
const WITHOUT_VALUE = new Set<CurlOption>(['get', 'next', 'flag'])

/** The options of a curl command and its URLs, in their order; an unknown option counts as a flag. */
export function curlOptions(words: readonly string[]): readonly GivenOption[] {
  const options: GivenOption[] = []
  // Taken from the end, since taking from the beginning of a long list takes long.
  const rest = words.toReversed()
  for (let word = rest.pop(); word !== undefined; word = rest.pop()) {
    if (word.startsWith('--') && word.length > 2) options.push(longOption(word.slice(2), rest))
    else if (word.startsWith('-') && word.length > 1 && word !== '--')
      options.push(...shortOptions(word.slice(1), rest))
    else if (word !== '--') options.push({ option: 'url', value: word })
  }
  return options
}

function longOption(name: string, rest: string[]): GivenOption {
  const option = LONG[name] ?? (LONG_WITH_VALUE.has(name) ? 'value' : 'flag')
  return { option, value: WITHOUT_VALUE.has(option) ? '' : (rest.pop() ?? '') }
}

/** `-sSL`, `-XPOST` and `-H 'a: b'` alike: flags run together, and the first that takes a value takes the rest. */
function shortOptions(letters: string, rest: string[]): readonly GivenOption[] {
  const options: GivenOption[] = []
  for (const [index, letter] of [...letters].entries()) {
    const option = SHORT[letter] ?? (SHORT_WITH_VALUE.has(letter) ? 'value' : 'flag')
    if (WITHOUT_VALUE.has(option)) {
      options.push({ option, value: '' })
      continue
    }
    const attached = [...letters].slice(index + 1).join('')
    options.push({ option, value: attached === '' ? (rest.pop() ?? '') : attached })
    break
  }
  return options
}
