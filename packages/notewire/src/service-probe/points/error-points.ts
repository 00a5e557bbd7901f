import { keyIdOf } from '@notewire/protocol'
import { asDefault, incompatible, otherwise, type ProbedPoint, unseen } from '../point.ts'
import type { ProbeSettings } from '../probe-options.ts'
import type { Sample } from '../sample.ts'
import type { Wire, WireAnswer } from '../wire.ts'
import { errorCodeOf, isDone, statusInWords } from '../wire-shapes.ts'

const KEYLESS = { row: 22, title: 'request without a key' } as const
const BODY = { row: 22, title: 'body of an error' } as const
const REQUEST_ID = { row: 22, title: 'identifier of a request' } as const
const UNKNOWN = { row: 22, title: 'operation that there is not' } as const
const LIMITS = { row: 22, title: 'rate limit' } as const
const DATE = { row: null, title: 'Date of answers' } as const
const PREFIX = { row: 24, title: 'prefix of the API key' } as const

/** How the service refuses, and what its answers carry (open points 22 and 24). */
export async function errorPoints(
  wire: Wire,
  { anonymous, listAnswer }: Sample,
  { apiKey }: ProbeSettings,
): Promise<readonly ProbedPoint[]> {
  const unknown = await wire.ask({ path: '/v1/notewire-probe' })
  return [
    keyless(anonymous),
    errorBody(anonymous === undefined || isDone(anonymous) ? unknown : anonymous),
    requestId(listAnswer),
    unknownOperation(unknown),
    rateLimit(listAnswer),
    date(listAnswer),
    keyPrefix(apiKey),
  ]
}

function keyless(answer: WireAnswer | undefined): ProbedPoint {
  if (answer === undefined) return unseen(KEYLESS, 'no answer came')
  if (answer.status === 401) return asDefault(KEYLESS, statusInWords(answer))
  if (isDone(answer)) {
    return incompatible(KEYLESS, `${answer.status}`, 'Anybody can read these notes: the contract asks for a key (§5).')
  }
  const advice = 'The client tells a bad key by 401 alone, and calls this something else.'
  return otherwise(KEYLESS, statusInWords(answer), advice)
}

function errorBody(answer: WireAnswer | undefined): ProbedPoint {
  if (answer === undefined || isDone(answer)) return unseen(BODY, 'nothing was refused')
  if (errorCodeOf(answer) !== undefined) return asDefault(BODY, '{"error": {"code", "message"}}')
  const advice = 'Errors are told by their status alone. There is nothing to set.'
  if (answer.text === '') return otherwise(BODY, 'none', advice, { errorBody: 'empty' })
  if (answer.json !== undefined) return otherwise(BODY, 'JSON of another form', advice)
  const isHtml = /html/i.test(answer.headers.get('content-type') ?? '') || /^\s*</.test(answer.text)
  return otherwise(BODY, isHtml ? 'a page of HTML' : 'text', advice, isHtml ? { errorBody: 'html' } : {})
}

function requestId({ headers }: WireAnswer): ProbedPoint {
  if (headers.has('x-request-id')) return asDefault(REQUEST_ID, 'the header x-request-id')
  const other = [...headers.keys()].find((name) => /(?:request|correlation|trace)-?id$/.test(name))
  const seen = other === undefined ? 'none' : `the header ${other}`
  return otherwise(
    REQUEST_ID,
    seen,
    'Errors of the client show no request id.',
    other === undefined ? { requestId: false } : {},
  )
}

function unknownOperation(answer: WireAnswer | undefined): ProbedPoint {
  if (answer === undefined) return unseen(UNKNOWN, 'no answer came')
  if (answer.status === 404) return asDefault(UNKNOWN, statusInWords(answer))
  const advice = 'The client tells a missing operation by 404, 405 or 501.'
  return [405, 501].includes(answer.status)
    ? otherwise(UNKNOWN, statusInWords(answer), 'There is nothing to set.')
    : incompatible(UNKNOWN, statusInWords(answer), advice)
}

function rateLimit({ headers }: WireAnswer): ProbedPoint {
  const names = [...headers.keys()].filter((name) => /^(?:x-)?ratelimit/.test(name))
  if (names.length === 0) {
    const advice = 'The client slows down when it is answered 429, and not before.'
    return asDefault(LIMITS, 'none is announced', advice)
  }
  const isUnderstood = names.includes('ratelimit') || names.includes('ratelimit-remaining')
  const advice = isUnderstood
    ? 'The client keeps within it by itself.'
    : 'The client knows ratelimit and ratelimit-remaining alone: it slows down when it is answered 429.'
  return otherwise(LIMITS, names.join(', '), advice)
}

/** A clock that is further off than this makes deliveries fail (contract §5). */
const LARGEST_SKEW_SECONDS = 60

function date({ headers, askedAt }: WireAnswer): ProbedPoint {
  const time = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(time)) {
    const advice = 'Syncs go by the latest updated_at instead, which is right, and reaches back further.'
    return otherwise(DATE, 'none', advice)
  }
  // A Date tells whole seconds, and leaves the rest out.
  const skew = Math.round(time / 1000) - Math.floor(askedAt / 1000)
  const seen = Math.abs(skew) <= 1 ? 'as the clock of this machine' : `${skew > 0 ? '+' : ''}${skew} s from this clock`
  if (Math.abs(skew) <= LARGEST_SKEW_SECONDS) return asDefault(DATE, seen)
  const advice =
    'Syncs go by the clock of the service, and do not mind. Receivers refuse deliveries beyond 300 s: let both clocks be set from the network (NTP).'
  return otherwise(DATE, seen, advice)
}

function keyPrefix(apiKey: string): ProbedPoint {
  if (keyIdOf(apiKey) === undefined) {
    const advice = 'The client takes any key; it only has no key_id to show.'
    return otherwise(PREFIX, 'the key is not of the form of the contract (§2)', advice)
  }
  const prefix = apiKey.slice(0, apiKey.indexOf('_'))
  if (prefix === 'ntw') return asDefault(PREFIX, '"ntw"')
  return otherwise(PREFIX, `"${prefix}"`, 'There is nothing to set.', { keyPrefix: prefix })
}
