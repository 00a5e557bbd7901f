import { NotewireError, SIGNING_SECRET_PREFIX } from '@notewire/protocol'
import { bytesOfBase64 } from './hmac.ts'

/** A shorter key could be guessed. */
const MIN_KEY_BYTES = 16

/**
 * The signing secrets of one endpoint: several during a rotation. An entry that is empty, `null` or `undefined` is a gap, as in a row of a
 * database without a previous secret. Gaps are ignored; a list that has only gaps has no secret.
 */
export type SecretList = readonly (string | null | undefined)[]

export function isGap(secret: string | null | undefined): secret is '' | null | undefined {
  return !secret
}

/** The signing secret is malformed or missing. The message says what is wrong, and never contains the secret. */
export class SecretError extends NotewireError<'secret_malformed'> {
  constructor(problem: string, nextStep = 'Copy it again from the response that created the endpoint, or rotate it.') {
    super('secret_malformed', `the signing secret ${problem}. ${nextStep}`)
  }
}

/**
 * The key bytes of a signing secret: `whsec_` and base64url text, padded or not (contract §5). The standard base64
 * alphabet is tolerated.
 *
 * @throws {@link SecretError}
 */
export function keyBytesOf(secret: string): Uint8Array<ArrayBuffer> {
  if (typeof secret !== 'string') throw new SecretError('is not a string')
  if (/^["'`].*["'`]$/.test(secret)) throw new SecretError('has quotes around it', 'Remove them.')
  if (!secret.startsWith(SIGNING_SECRET_PREFIX)) {
    throw new SecretError(`does not start with "${SIGNING_SECRET_PREFIX}"`)
  }
  const text = secret.slice(SIGNING_SECRET_PREFIX.length).replace(/={1,2}$/, '')
  const alien = /[^A-Za-z0-9+/_-]/.exec(text)
  if (alien !== null) {
    const position = SIGNING_SECRET_PREFIX.length + alien.index
    throw new SecretError(
      `is not base64url after "${SIGNING_SECRET_PREFIX}" (found ${nameOf(alien[0])} at position ${position})`,
    )
  }
  if (text.length % 4 === 1) throw new SecretError('is incomplete: base64url text cannot have this length')
  const key = bytesOfBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
  if (key.length < MIN_KEY_BYTES) {
    throw new SecretError(`contains ${key.length} key bytes; at least ${MIN_KEY_BYTES} are required`)
  }
  return key
}

function nameOf(character: string): string {
  if (character === ' ') return 'a space'
  if (character === '\n' || character === '\r') return 'a line break'
  if (character === '=') return 'padding'
  return 'another character'
}
