import { SIGNATURE_HEADERS, SIGNATURE_TOLERANCE_SECONDS } from '@notewire/protocol'
import { explainDelivery, type RefusalCause } from '@notewire/webhooks'
import type { VerificationFailure } from '@notewire/webhooks/verify'
import { spellSeconds } from '../../terminal/amounts.ts'
import type { Output } from '../../terminal/output.ts'
import { wrap } from '../../terminal/width.ts'
import type { CapturedDelivery } from './capture.ts'

/** A cause, also of those that only a capture shows: they concern headers that a receiver ignores. */
interface Cause extends Omit<RefusalCause, 'code'> {
  readonly code: RefusalCause['code'] | 'signature_encoding' | 'body_compressed' | 'body_form_encoded'
}

export interface NamedSecret {
  readonly name: string
  readonly text: string
}

/** The result for a captured delivery. {@link verdictRecord} and {@link describeVerdict} show no secret, signature or body. */
export interface Verdict {
  readonly verdict: 'valid' | 'invalid'
  readonly request: CapturedDelivery
  readonly webhookId: string | undefined
  readonly timestamp: number | undefined
  /** The age of the timestamp when it was checked, in seconds; negative if it is in the future. */
  readonly ageSeconds: number | undefined
  /** The secret with which a valid delivery was signed. */
  readonly secret: { readonly number: number; readonly name: string } | undefined
  readonly reason: VerificationFailure | undefined
  /** The most important cause first; none for a valid delivery. */
  readonly causes: readonly Cause[]
}

/**
 * Verifies a captured delivery (contract §5) and, if it does not verify, finds the causes.
 *
 * @param now  the time for the check of the timestamp if the capture contains none, in milliseconds since the Unix epoch;
 * with `'ignore-time'`, only the signature is checked
 */
export async function judgeDelivery(
  request: CapturedDelivery,
  secrets: readonly NamedSecret[],
  now: number | 'ignore-time',
): Promise<Verdict> {
  const timestamp = timestampOf(request)
  const judgedAt = now === 'ignore-time' ? (timestamp ?? 0) * 1000 : (request.receivedAt ?? now)
  const explanation = await explainDelivery(
    request.body,
    request.headers,
    secrets.map(({ text }) => text),
    { clock: { now: () => judgedAt, sleep: () => Promise.resolve() } },
  )
  const age = timestamp === undefined || now === 'ignore-time' ? undefined : judgedAt / 1000 - timestamp
  const facts = {
    request,
    webhookId: request.headers[SIGNATURE_HEADERS.id]?.find(isToken),
    timestamp,
    ageSeconds: age === undefined ? undefined : Math.floor(age),
  }
  if (explanation.status === 'refused') {
    const causes = explanation.causes.map((cause) => wrongEncoding(cause, request) ?? withAge(cause, age, request))
    return { ...facts, verdict: 'invalid', secret: undefined, reason: explanation.reason, causes }
  }
  const { secretIndex } = explanation
  const secret = { number: secretIndex + 1, name: secrets[secretIndex]?.name ?? '' }
  return { ...facts, verdict: 'valid', secret, reason: undefined, causes: [] }
}

/** What a mismatch is if the signature or the body is in an encoding in which nothing can match. */
function wrongEncoding({ code }: RefusalCause, { headers, body }: CapturedDelivery): Cause | undefined {
  if (!/^(?:signature|body|secret_or)_/.test(code)) return undefined
  const signature = headers[SIGNATURE_HEADERS.signature]?.join(' ') ?? ''
  if (/^v1,[0-9a-f]{64}$/i.test(signature)) return signatureIn('hex')
  if (/^v1,(?=.*[-_]|.{43}$)[\w-]{43}=?$/.test(signature)) return signatureIn('base64url')
  if (
    /^(?:gzip|deflate|br|zstd)$/.test(headers['content-encoding']?.join() ?? '') ||
    (body[0] === 0x1f && body[1] === 0x8b)
  ) {
    return {
      code: 'body_compressed',
      what: 'the body is compressed (gzip or another content-encoding), and the service signs and sends it uncompressed',
      nextStep: 'Find the proxy or the tool that compresses requests, or decompress the body of the capture.',
    }
  }
  if (/^[\w.-]+=(?:%7B|\{)/i.test(Buffer.from(body.subarray(0, 100)).toString())) {
    return {
      code: 'body_form_encoded',
      what: 'the body is an HTML form (application/x-www-form-urlencoded) that contains the JSON',
      nextStep: 'Find the proxy or the tool that puts the body into a form. The service sends only the JSON.',
    }
  }
  return undefined
}

function signatureIn(encoding: 'hex' | 'base64url'): Cause {
  return {
    code: 'signature_encoding',
    what: `the signature is in ${encoding}, and v1 signatures are in standard base64 with padding`,
    nextStep: 'Pass the header unchanged. If the sender encodes signatures itself, it must write standard base64.',
  }
}

function timestampOf({ headers }: CapturedDelivery): number | undefined {
  const [value = ''] = headers[SIGNATURE_HEADERS.timestamp] ?? []
  return /^\d{1,16}$/.test(value) ? Number(value) : undefined
}

/** Explains a wrong timestamp for a capture: it was compared with the time of arrival in the capture, or with the current time. */
function withAge(cause: RefusalCause, ageSeconds = 0, { receivedAt }: CapturedDelivery): Cause {
  if (cause.code !== 'timestamp_too_old' && cause.code !== 'timestamp_too_new') return cause
  const age = `${spellSeconds(Math.ceil(Math.abs(ageSeconds)))} ${ageSeconds > 0 ? 'old' : 'ahead'}`
  return {
    code: cause.code,
    what: `the timestamp is ${age}; ${SIGNATURE_TOLERANCE_SECONDS} s are allowed`,
    nextStep:
      receivedAt === undefined
        ? 'The capture does not say when the delivery arrived, so it was compared with the current time. Pass --ignore-time to verify the signature alone. If the delivery was refused on arrival, check the clock of the receiver.'
        : cause.nextStep,
  }
}

/** Whether a text can be an identifier. Other texts are not shown, because a header may contain a secret. */
function isToken(text: string): boolean {
  return /^(?!whsec_)[\w.-]{1,80}$/.test(text)
}

export function verdictRecord({ request, webhookId, ageSeconds, causes, ...verdict }: Verdict): object {
  const { method, body } = request
  return {
    ...verdict,
    request: {
      method: method !== undefined && isToken(method) ? method : undefined,
      webhook_id: webhookId,
      body_bytes: body.length,
    },
    age_seconds: ageSeconds,
    causes: causes.map(({ code, what, nextStep }) => ({ code, what, next_step: nextStep })),
  }
}

/** A verdict for a person: the cause on the first line, the next step, then the facts. */
export function describeVerdict(
  verdict: Verdict,
  { paint, width }: Pick<Output, 'paint' | 'width'>,
): readonly string[] {
  const { request, webhookId, causes } = verdict
  const [first, ...others] = causes
  const lines =
    first === undefined
      ? [`${paint('green', '✓ valid')}: ${signerOf(verdict)}`, `  Next step: ${IF_REFUSED}`]
      : [`${paint('red', '✗ invalid')}: ${first.what}`, `  Next step: ${first.nextStep}`]
  for (const { what, nextStep } of others) lines.push(`  Also: ${what}`, `  Next step: ${nextStep}`)
  const facts = [
    ...causes.map(({ code }) => `[${code}]`),
    ...(webhookId === undefined ? [] : [webhookId]),
    `${request.body.length} bytes`,
  ]
  lines.push(`  ${facts.join(', ')}`)
  if (first?.code.startsWith('body_')) {
    lines.push('', '  The bytes of the body, by framework', ...RAW_BODY_BY_FRAMEWORK.map((advice) => `  - ${advice}`))
  }
  return lines.flatMap((line) => wrap(line.trimStart(), width, line.startsWith(' ') ? '  ' : ''))
}

const RAW_BODY_BY_FRAMEWORK = [
  "Express: expressHandler(receiver) before express.json(); by hand: express.raw({ type: '*/*' })",
  "Fastify: fastifyPlugin; by hand: addContentTypeParser with parseAs: 'buffer'",
  'Next.js: receiver.fetch; by hand: await request.text(), not request.json()',
  'Flask: request.get_data()',
  'Django: request.body, before request.POST',
  'Rails: request.raw_post',
  'Go: io.ReadAll(r.Body)',
  "PHP: file_get_contents('php://input')",
  'Spring: @RequestBody byte[]',
]

const IF_REFUSED =
  'If a receiver rejects this delivery, the receiver uses another body, other headers or another secret. To find out which, run notewire doctor <receiver-url>.'

function signerOf({ secret, ageSeconds }: Verdict): string {
  const name = secret?.number === 1 ? secret.name : `secret ${secret?.number} (${secret?.name})`
  if (ageSeconds === undefined) return `signed with ${name}`
  return `signed with ${name}, ${spellSeconds(Math.abs(ageSeconds))} ${ageSeconds < 0 ? 'ahead' : 'old'}`
}
