import { SIGNATURE_HEADERS } from '@notewire/protocol'
import { createVerifier, SecretError, type Verification, type VerificationFailure } from '@notewire/webhooks/verify'
import type { CapturedHeader, CapturedRequest } from './captured-request.ts'
import { clockFinding, timestampIn } from './clock-finding.ts'
import type { Finding } from './finding.ts'
import { hintsFor, missingHeaders } from './hints.ts'
import { explainSignature } from './readings/explain.ts'

/** A signing secret under a name that may be shown. */
export interface NamedSecret {
  /** Where it comes from: a variable, or a file. */
  readonly name: string
  readonly text: string
}

/** What an examination takes beside the request. */
export interface ExaminationOptions {
  /** At least one. They are tried in this order. */
  readonly secrets: readonly NamedSecret[]
  /** The time by which the timestamp is judged, in milliseconds since the Unix epoch. */
  readonly at: number
  /** How far the timestamp may be from it, in seconds. `'any'` judges the signature alone. */
  readonly tolerance: number | 'any'
}

/** A secret, as it may be shown. */
export interface ShownSecret {
  /** From 1. */
  readonly number: number
  readonly name: string
}

/** One way in which the signature is right after all: proof, since nobody meets a signature by chance. */
interface Explanation {
  readonly secret: ShownSecret
  readonly findings: readonly Finding[]
}

/** What an examination found. Nothing of it holds a secret, a signature or a part of the body. */
export interface Examination {
  readonly verdict: 'valid' | 'invalid'
  readonly request: {
    readonly format: CapturedRequest['format']
    readonly entry: number
    readonly method: string | undefined
    /** Where it looks like one: what a request says of itself may be anything. */
    readonly webhookId: string | undefined
    readonly bodyBytes: number
    readonly notices: readonly string[]
  }
  /** Why the verifier refused it, in its words; `undefined` when it is valid. */
  readonly refusal: { readonly reason: VerificationFailure | 'secret-malformed'; readonly detail: string } | undefined
  readonly signature: 'right' | 'explained' | 'unexplained'
  /** Whose signature it is, when it is right. */
  readonly secret: ShownSecret | undefined
  /** When the header says that it was signed, in seconds since the Unix epoch. */
  readonly timestamp: number | undefined
  /** How old it was at the time of the examination, in seconds; below 0 when it is from the future. */
  readonly ageSeconds: number | undefined
  readonly explanations: readonly Explanation[]
  /** What is wrong beyond doubt beside the signature: the clock, missing headers, malformed secrets. */
  readonly faults: readonly Finding[]
  /** What may be the reason, and is worth a look. Empty when the reason is known. */
  readonly hints: readonly Finding[]
}

/**
 * Verifies a captured request (contract §5) and, where it fails, says why.
 *
 * @throws nothing for a request or a secret that is wrong: that is what it reports
 */
export async function examine(request: CapturedRequest, options: ExaminationOptions): Promise<Examination> {
  const secrets = options.secrets.map((secret, index) => checked(secret, index))
  const verification = await verify(request, secrets, options)
  const timestamp = timestampIn(request.headers)
  const ageSeconds = timestamp === undefined ? undefined : Math.floor(options.at / 1000) - timestamp.seconds
  const facts = { request: shown(request), timestamp: timestamp?.seconds, ageSeconds }
  if (verification.status === 'verified') {
    const secret = secrets.filter(isWellFormed)[verification.secretIndex]?.shown
    return { ...facts, verdict: 'valid', signature: 'right', secret, refusal: undefined, ...NOTHING_FOUND }
  }
  const { reason, detail } = verification
  const malformed = secrets.flatMap(({ fault }) => fault ?? [])
  const refused = { ...facts, verdict: 'invalid', refusal: { reason, detail } } as const
  const clock = clockFinding(timestamp, options, request.capturedAt)
  const signer = await signerOf(request, secrets)
  if (signer !== undefined) {
    return { ...refused, signature: 'right', secret: signer, ...NOTHING_FOUND, faults: clock }
  }
  const explanations = explanationsOf(request, secrets)
  // A header that was found under another name is explained by that.
  const isRenamed = explanations.some(({ findings }) => findings.some(({ code }) => code === 'header_names'))
  const faults = [...(isRenamed ? [] : missingHeaders(request.headers)), ...malformed, ...clock]
  if (explanations.length > 0)
    return { ...refused, signature: 'explained', secret: undefined, explanations, faults, hints: [] }
  const hints = hintsFor(request, secrets.length)
  return { ...refused, signature: 'unexplained', secret: undefined, explanations, faults, hints }
}

const NOTHING_FOUND = { explanations: [], faults: [], hints: [] } as const

interface CheckedSecret {
  readonly shown: ShownSecret
  readonly text: string
  /** What is wrong with it; `undefined` for a secret of the contract's form. */
  readonly fault: Finding | undefined
}

function checked({ name, text }: NamedSecret, index: number): CheckedSecret {
  const secret = { shown: { number: index + 1, name }, text }
  try {
    createVerifier({ secret: text })
    return { ...secret, fault: undefined }
  } catch (error) {
    if (!(error instanceof SecretError)) throw error
    const what = error.message
      .replace(/^the signing secret /, `the secret ${index + 1} (${name}) `)
      .replace(/\. [\s\S]*$/, '')
    const fix = 'Copy it again from the response that created the endpoint; it is shown once.'
    return { ...secret, fault: { code: 'secret_malformed', subject: 'secret', what, fix } }
  }
}

function isWellFormed({ fault }: CheckedSecret): boolean {
  return fault === undefined
}

type Judgement =
  | Verification
  | { readonly status: 'refused'; readonly reason: 'secret-malformed'; readonly detail: string }

async function verify(
  request: CapturedRequest,
  secrets: readonly CheckedSecret[],
  { at, tolerance }: Pick<ExaminationOptions, 'at' | 'tolerance'>,
): Promise<Judgement> {
  const secret = secrets.filter(isWellFormed).map(({ text }) => text)
  if (secret.length === 0) {
    return { status: 'refused', reason: 'secret-malformed', detail: 'no signing secret of the right form was given' }
  }
  const now = tolerance === 'any' ? (timestampIn(request.headers)?.seconds ?? 0) * 1000 : at
  const clock = { now: () => now, sleep: () => Promise.resolve() }
  const toleranceSeconds = tolerance === 'any' ? 0 : tolerance
  return createVerifier({ secret, toleranceSeconds, clock })(request.body, recordOf(request.headers))
}

/** Whose signature it is, whenever it was signed. */
async function signerOf(request: CapturedRequest, secrets: readonly CheckedSecret[]): Promise<ShownSecret | undefined> {
  const verification = await verify(request, secrets, { at: 0, tolerance: 'any' })
  if (verification.status !== 'verified') return undefined
  return secrets.filter(isWellFormed)[verification.secretIndex]?.shown
}

function explanationsOf(request: CapturedRequest, secrets: readonly CheckedSecret[]): readonly Explanation[] {
  const matches = explainSignature(
    request,
    secrets.map(({ text }) => text),
  )
  return matches.flatMap(({ secretIndex, differences }) => {
    const secret = secrets[secretIndex]?.shown
    return secret === undefined ? [] : [{ secret, findings: differences }]
  })
}

/** Headers as the verifier takes them, so that one that is there twice is seen to be. */
function recordOf(headers: readonly CapturedHeader[]): Readonly<Record<string, readonly string[]>> {
  const record = new Map<string, string[]>()
  for (const { name, value } of headers) {
    const key = name.toLowerCase()
    record.set(key, [...(record.get(key) ?? []), value])
  }
  return Object.fromEntries(record)
}

function shown({ format, entry, method, headers, body, notices }: CapturedRequest): Examination['request'] {
  const webhookId = headers.find(
    ({ name, value }) => name.toLowerCase() === SIGNATURE_HEADERS.id && isToken(value),
  )?.value
  const known = method !== undefined && isToken(method) ? method : undefined
  return { format, entry, method: known, webhookId, bodyBytes: body.length, notices }
}

function isToken(text: string): boolean {
  return /^(?!whsec_)[\w.-]{1,80}$/.test(text)
}
