import {
  OptionError,
  refuseUnknownOptions,
  SIGNATURE_HEADERS,
  SIGNATURE_VERSION,
  SIGNING_SECRET_PREFIX,
} from '@notewire/protocol'
import { hmacSha256 } from '../verifier/hmac.ts'
import { keyBytesOf } from '../verifier/signing-secret.ts'

/** The fields of an attempt that matter to a test; `signAttempt` fills in the rest. */
export interface SigningTraits {
  /** @default a new one */
  readonly webhookId?: string | undefined
  /**
   * The time of the signature, in milliseconds since the Unix epoch.
   *
   * @default now
   */
  readonly signedAt?: number | undefined
}

/** A delivery attempt as the service sends it. */
export interface SignedAttempt {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Signs a delivery attempt as the service does (contract §5).
 *
 * @param payload  an event, or the text of a body, which is signed as it stands
 * @throws SecretError if the secret is malformed
 * @throws OptionError if the secret and the payload are swapped, or for an unknown trait
 * @example
 * ```ts
 * import { anEvent, signAttempt } from '@notewire/webhooks/testing'
 *
 * const secret = 'whsec_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hLXRlc3Q'
 * const attempt = await signAttempt(secret, anEvent({ kind: 'note.ended' }))
 * await fetch('http://127.0.0.1:3000/webhooks/notes', { method: 'POST', ...attempt })
 * ```
 */
export async function signAttempt(
  secret: string,
  payload: object | string,
  traits: SigningTraits = {},
): Promise<SignedAttempt> {
  if (typeof secret === 'object' || `${payload}`.startsWith(SIGNING_SECRET_PREFIX)) {
    throw new OptionError(
      'secret',
      'signAttempt takes the secret first, and then the event: signAttempt(secret, event).',
    )
  }
  if (typeof payload !== 'string' && !isPlainObject(payload)) {
    throw new OptionError(
      'payload',
      'signAttempt needs an event, or the text of a body. Pass anEvent({ kind }), or await the promise of one.',
    )
  }
  refuseUnknownOptions('signAttempt', traits, ['webhookId', 'signedAt'])
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const webhookId = traits.webhookId ?? `msg_${crypto.randomUUID()}`
  const timestamp = String(Math.floor((traits.signedAt ?? Date.now()) / 1000))
  const signature = await hmacSha256(keyBytesOf(secret))(`${webhookId}.${timestamp}.`, body)
  return {
    headers: {
      'content-type': 'application/json',
      [SIGNATURE_HEADERS.id]: webhookId,
      [SIGNATURE_HEADERS.timestamp]: timestamp,
      [SIGNATURE_HEADERS.signature]: `${SIGNATURE_VERSION},${signature}`,
    },
    body,
  }
}

// Lists, bytes and promises would be signed as something else than they contain.
function isPlainObject(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Object]'
}
