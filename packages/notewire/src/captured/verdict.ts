import { SIGNATURE_HEADERS } from '@notewire/protocol'
import {
  type DeliveryExplanation,
  explainDelivery,
  type RefusalCause,
  type VerificationFailure,
} from '@notewire/webhooks'
import { spellSeconds } from '../terminal/amounts.ts'
import type { CapturedRequest } from './captured-request.ts'

/** A signing secret, and a name for it that may be shown. */
export interface NamedSecret {
  /** Where it comes from: a setting, or a file. */
  readonly name: string
  readonly text: string
}

/** How the timestamp of a captured request is judged. */
export interface TimeRules {
  /** By which time, in milliseconds since the Unix epoch. Default: when it was captured, or else `now`. */
  readonly at: number | undefined
  readonly now: number
  /** How far the timestamp may be off, in seconds; `'any'` judges the signature alone. */
  readonly tolerance: number | 'any'
}

/** What was found out about one captured request. {@link verdictRecord} and its description show no secret, signature or body. */
export interface Verdict {
  readonly verdict: 'valid' | 'invalid'
  readonly request: CapturedRequest
  /** The webhook-id, where it looks like one. */
  readonly webhookId: string | undefined
  /** The header webhook-timestamp: Unix time in seconds. */
  readonly timestamp: number | undefined
  /** How old the timestamp was at the time by which it was judged, in seconds; negative when it is from the future. */
  readonly ageSeconds: number | undefined
  /** Which secret signed a valid request. */
  readonly secret: { readonly number: number; readonly name: string } | undefined
  readonly reason: VerificationFailure | undefined
  /** The most important cause first; none for a valid request. */
  readonly causes: readonly RefusalCause[]
}

/** Verifies a captured request (contract §5) and, if it does not verify, finds the causes. */
export async function judgeRequest(
  request: CapturedRequest,
  secrets: readonly NamedSecret[],
  { at, now, tolerance }: TimeRules,
): Promise<Verdict> {
  const timestamp = timestampOf(request)
  const ignoresTime = tolerance === 'any'
  const judgedAt = ignoresTime ? (timestamp ?? 0) * 1000 : (at ?? request.capturedAt ?? now)
  const explanation = await explainDelivery(
    request.body,
    request.headers,
    secrets.map(({ text }) => text),
    {
      toleranceSeconds: ignoresTime ? 0 : tolerance,
      clock: { now: () => judgedAt, sleep: () => Promise.resolve() },
    },
  )
  const ageSeconds = timestamp === undefined || ignoresTime ? undefined : judgedAt / 1000 - timestamp
  const isJudgedByNow = at === undefined && request.capturedAt === undefined
  return {
    request,
    webhookId: request.headers[SIGNATURE_HEADERS.id]?.find(isToken),
    timestamp,
    ageSeconds: ageSeconds === undefined ? undefined : Math.floor(ageSeconds),
    ...foundIn(explanation, secrets, (cause) => withAge(cause, { ageSeconds, timestamp, tolerance, isJudgedByNow })),
  }
}

type Found = Pick<Verdict, 'verdict' | 'secret' | 'reason' | 'causes'>

function foundIn(
  explanation: DeliveryExplanation,
  secrets: readonly NamedSecret[],
  describe: (cause: RefusalCause) => RefusalCause,
): Found {
  if (explanation.status === 'refused') {
    const { reason, causes } = explanation
    return { verdict: 'invalid', secret: undefined, reason, causes: causes.map(describe) }
  }
  const { secretIndex } = explanation
  const secret = { number: secretIndex + 1, name: secrets[secretIndex]?.name ?? '' }
  return { verdict: 'valid', secret, reason: undefined, causes: [] }
}

function timestampOf({ headers }: CapturedRequest): number | undefined {
  const [value = ''] = headers[SIGNATURE_HEADERS.timestamp] ?? []
  return /^\d{1,16}$/.test(value) ? Number(value) : undefined
}

interface Age {
  readonly ageSeconds: number | undefined
  readonly timestamp: number | undefined
  readonly tolerance: number | 'any'
  readonly isJudgedByNow: boolean
}

/** A receiver compares the timestamp with its clock; this command with the time of arrival, if it knows that. */
function withAge(cause: RefusalCause, { ageSeconds = 0, timestamp = 0, tolerance, isJudgedByNow }: Age): RefusalCause {
  if (cause.code !== 'timestamp_too_old' && cause.code !== 'timestamp_too_new') return cause
  const age = `${spellSeconds(Math.ceil(Math.abs(ageSeconds)))} ${ageSeconds > 0 ? 'old' : 'ahead'}`
  return {
    code: cause.code,
    what: `the timestamp is ${age}; ${tolerance} s are allowed`,
    nextStep: isJudgedByNow
      ? `A saved delivery grows old. Pass its time of arrival, for example --at ${timestamp}, or --ignore-time. If it was refused on arrival, check the clock of the receiver.`
      : cause.nextStep,
  }
}

/** Whether a text can be an identifier. What a request says of itself may be anything, also a secret. */
function isToken(text: string): boolean {
  return /^(?!whsec_)[\w.-]{1,80}$/.test(text)
}

/** A verdict for a program. */
export function verdictRecord({
  verdict,
  request,
  webhookId,
  timestamp,
  ageSeconds,
  secret,
  reason,
  causes,
}: Verdict): object {
  const { format, entry, method, body } = request
  return {
    schema_version: 1,
    verdict,
    request: {
      format,
      entry,
      method: method !== undefined && isToken(method) ? method : undefined,
      webhook_id: webhookId,
      body_bytes: body.length,
    },
    timestamp,
    age_seconds: ageSeconds,
    secret,
    reason,
    causes: causes.map(({ code, what, nextStep }) => ({ code, what, next_step: nextStep })),
  }
}
