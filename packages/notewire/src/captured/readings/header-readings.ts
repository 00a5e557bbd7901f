import { SIGNATURE_HEADERS } from '@notewire/protocol'
import { type CapturedHeader, valuesOf } from '../captured-request.ts'
import type { Reading } from './difference.ts'
import { headerDifference, headerReading, urlDecoded } from './header-reading.ts'

/** One of the three headers of a notification. */
export type SignatureHeader = keyof typeof SIGNATURE_HEADERS

/** The values that a header may have had when it was sent; none, where it is missing under every name that is known. */
export function headerReadings(
  headers: readonly CapturedHeader[],
  header: SignatureHeader,
): readonly Reading<string>[] {
  const named = namedValues(headers, header)
  return named.filter(isOfSensibleLength).flatMap(({ value, differences }) =>
    [{ value, differences: [] }, ...spoilt(value, header)].map((reading) => ({
      value: reading.value,
      differences: [...differences, ...reading.differences],
    })),
  )
}

/** Servers refuse longer headers, and reading them in every way takes long. */
const LONGEST_VALUE = 8192

function isOfSensibleLength({ value }: Reading<string>): boolean {
  return value.length <= LONGEST_VALUE
}

/** The header under its own name, or, where it is not there, under one that other senders and servers give it. */
function namedValues(headers: readonly CapturedHeader[], header: SignatureHeader): readonly Reading<string>[] {
  const name = SIGNATURE_HEADERS[header]
  const own = valuesOf(headers, name).filter((value) => value !== '')
  const twice = headerDifference('header_joined', `the header ${name} is there ${own.length} times`, JOINED_FIX)
  if (own.length > 0) return own.map((value) => ({ value, differences: own.length > 1 ? [twice] : [] }))
  return headers
    .filter((each) => each.value !== '' && plainName(each.name) === name)
    .map(({ name: found, value }) => {
      const what = `the header ${name} came under the name ${found}`
      return { value, differences: [headerDifference('header_names', what, NAMES_FIX)] }
    })
}

const NAMES_FIX =
  'The service sends webhook-id, webhook-timestamp and webhook-signature (contract §5). Give the verifier these names, or make whatever renames them stop.'
const JOINED_FIX = 'Make the proxy that adds headers pass them on once, as they came.'

/** `svix-id`, `HTTP_WEBHOOK_ID` and `X-Webhook-Id` are all `webhook-id` by another name. */
function plainName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^(?:http-|x-)+/, '')
    .replace(/^svix-/, 'webhook-')
}

/** What proxies, logs and form encodings do to the identifier and the timestamp; each undone. */
function spoilt(value: string, header: SignatureHeader): readonly Reading<string>[] {
  if (header === 'signature') return []
  const name = SIGNATURE_HEADERS[header]
  const parts = value.split(/\s*,\s*/).filter((part) => part !== '')
  const readings = [
    ...(parts.length > 1
      ? [...new Set(parts)].map((part) =>
          headerReading(part, 'header_joined', `the header ${name} was joined by a comma`, JOINED_FIX),
        )
      : []),
    headerReading(
      value.trim().replace(/^(["'])(.*)\1$/, '$2'),
      'header_quotes',
      `the header ${name} was put in quotes`,
      AS_IT_CAME,
    ),
    headerReading(urlDecoded(value), 'header_url_encoded', `the header ${name} was URL-encoded`, AS_IT_CAME),
    ...(header === 'timestamp' ? timestampReadings(value.trim()) : []),
  ]
  return readings.filter((each) => each.value !== value)
}

const AS_IT_CAME = 'Hand the header on as it came.'
const TIMESTAMP_FIX =
  'The header webhook-timestamp is Unix time in seconds, in plain digits (contract §5), and is signed so.'

function timestampReadings(value: string): readonly Reading<string>[] {
  if (/^\d{12,14}$/.test(value)) {
    const seconds = String(Math.floor(Number(value) / 1000))
    return [
      headerReading(seconds, 'timestamp_milliseconds', 'the timestamp was turned into milliseconds', TIMESTAMP_FIX),
    ]
  }
  if (/^\d{9,11}$/.test(value)) {
    const what = 'the timestamp was signed in milliseconds and sent in seconds'
    return [headerReading(`${value}000`, 'timestamp_seconds', what, TIMESTAMP_FIX)]
  }
  const time = /^\d+\.\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value)
  if (Number.isNaN(time)) return []
  const what = 'the timestamp was turned into another form'
  return [headerReading(String(Math.floor(time / 1000)), 'timestamp_other_form', what, TIMESTAMP_FIX)]
}
