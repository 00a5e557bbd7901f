import { SIGNING_SECRET_PREFIX } from '@notewire/protocol'
import type { CheckedHeaders } from '../verifier/header-check.ts'
import { base64Of, bytesOfBase64 } from '../verifier/hmac.ts'
import { createSignatureCheck, type SignatureCheck } from '../verifier/signature-check.ts'
import { SecretError } from '../verifier/signing-secret.ts'
import type { RefusalCause } from './refusal-cause.ts'

/** The signature check of a secret, or what is wrong with the secret; neither for a gap. */
export interface CheckedSecret {
  readonly check?: SignatureCheck
  readonly cause?: RefusalCause
}

/** Prepares a secret that may be malformed. */
export function checkedSecret(secret: string): CheckedSecret {
  try {
    return { check: createSignatureCheck([secret]) }
  } catch (error) {
    if (!(error instanceof SecretError)) throw error
    return { cause: { code: 'secret_malformed', what: `the signing secret ${faultOf(secret)}`, nextStep: COPY_AGAIN } }
  }
}

const COPY_AGAIN = `Store the secret as the service showed it, from "${SIGNING_SECRET_PREFIX}" to its last character, and nothing around it. If it is lost, rotate it.`

export const SECRET_MISSING: RefusalCause = {
  code: 'secret_malformed',
  what: 'the signing secret is missing',
  nextStep: COPY_AGAIN,
}

function faultOf(secret: string): string {
  if (secret.trim() !== secret) return 'has white space or a line break around it'
  if (/^(?:export\s+)?\w+\s*=\s*["'`]?whsec_/.test(secret)) return 'has the name of its variable before it'
  if (/^["'`].*["'`]$/.test(secret)) return 'has quotes around it'
  if (!secret.startsWith(SIGNING_SECRET_PREFIX)) return `does not start with "${SIGNING_SECRET_PREFIX}"`
  return `is not base64url after "${SIGNING_SECRET_PREFIX}", or is too short`
}

/** Finds out whether the sender signed with the text of this well-formed secret, or decoded it as standard base64 (contract §5). */
export async function findUndecodedSecret(
  secret: string,
  body: Uint8Array,
  headers: CheckedHeaders,
): Promise<RefusalCause | undefined> {
  for (const key of misreadKeys(secret)) {
    const { check } = checkedSecret(SIGNING_SECRET_PREFIX + base64Of(key))
    if ((await check?.(body, headers))?.status === 'verified') return NOT_DECODED
  }
  return undefined
}

const NOT_DECODED: RefusalCause = {
  code: 'secret_not_decoded',
  what: 'the sender signed with the text of the secret, not with its key',
  nextStep: 'The sender must sign with the bytes that base64url decodes from the text after "whsec_" (contract §5).',
}

function misreadKeys(secret: string): readonly Uint8Array[] {
  const text = secret.replace(SIGNING_SECRET_PREFIX, '')
  const encoder = new TextEncoder()
  // Decoders of standard base64 ignore the two characters that base64url has of its own.
  const standard = text.replace(/[^A-Za-z0-9+/]/g, '')
  const whole = standard.length % 4 === 1 ? standard.slice(0, -1) : standard
  return [encoder.encode(secret), encoder.encode(text), bytesOfBase64(whole)]
}
