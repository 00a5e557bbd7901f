import { createSignatureCheck, type SignatureCheck } from '../verifier/signature-check.ts'
import { isGap, SecretError, type SecretList } from '../verifier/signing-secret.ts'
import { refuseOtherThanSecret } from './other-than-secret.ts'

/**
 * One secret, or several during a rotation. Gaps in a list are ignored ({@link SecretList}). `undefined`, an empty string, or a list without a
 * secret means that there is none yet, which only a function may return.
 */
export type Secrets = string | SecretList | undefined

/**
 * Where a receiver gets its signing secret: the secret itself, which must exist when the receiver is created, or a function that the
 * receiver calls at each delivery. Use a function if the program is built or started without the secret, or if the first delivery can arrive
 * before the secret is stored. Until the function returns a secret, the receiver answers 503, and the service retries.
 */
export type SecretSource = Secrets | (() => Secrets | Promise<Secrets>)

/**
 * Finds the signing secret of an integration by its id. `undefined` or `null` if there is no such integration: its deliveries get 404.
 * An empty string, or a list without a secret, if the integration has no secret yet: its deliveries get 503.
 *
 * The ids come from requests, and anyone can send any id. Look them up in a database or a `Map`, not in a plain object, which also has
 * properties such as `constructor` and `__proto__`.
 */
export type SecretLookup = (integration: string) => Secrets | null | Promise<Secrets | null>

/** The result of looking for a secret. */
export type SecretFinding =
  | { readonly status: 'found'; readonly check: SignatureCheck }
  /** There is no such integration. */
  | { readonly status: 'unknown' }
  /** There is no secret yet. */
  | { readonly status: 'missing' }
  /** The function returned something that is not a secret. */
  | { readonly status: 'invalid'; readonly error: unknown }
  /** The function threw. */
  | { readonly status: 'failed'; readonly error: unknown }
  /** The function did not resolve before the deadline of the answer. */
  | { readonly status: 'late' }
  /** The function was not called, because too many lookups are running. */
  | { readonly status: 'limited' }

/** Finds the signing secrets of a receiver. */
export interface SecretFinder {
  /** The option that the secrets come from, for messages. */
  readonly option: 'secret' | 'secretOf'
  /** Finds the current secret of an integration: synchronously if it is cached. Never rejects. */
  find(integration: string): SecretFinding | Promise<SecretFinding>
  /**
   * Finds the secret again, because no signature matched, or because it was forgotten. `undefined` if it cannot have changed. Never rejects.
   *
   * @param used  the signature check of the secret that was found
   */
  findOther(integration: string, used: SignatureCheck): SecretFinding | undefined | Promise<SecretFinding>
  /** Whether a secret was forgotten since it was found: what it has signed must not be accepted. */
  isForgotten(used: SignatureCheck): boolean
  /** Whether this process knows that the integration exists. Other ids must not be logged, because anyone can send any id. */
  knows(integration: string): boolean
}

const MISSING: SecretFinding = { status: 'missing' }

/**
 * Finds the secret of a receiver of one integration. A function is called at each delivery.
 *
 * @throws SecretError if the source is a malformed string or list, or has no secret
 */
export function secretOfOne(source: SecretSource): SecretFinder {
  return {
    option: 'secret',
    find: finderOf(source),
    findOther: () => undefined,
    isForgotten: () => false,
    knows: () => true,
  }
}

function finderOf(source: SecretSource): () => SecretFinding | Promise<SecretFinding> {
  if (typeof source !== 'function') {
    const check = signatureCheckOf(source)
    if (check === undefined) throw new SecretError(missing(source), SET_THE_VARIABLE)
    const finding: SecretFinding = { status: 'found', check }
    return () => finding
  }

  // The result is cached: the secret rarely changes, and preparing its key takes longer than computing a signature.
  let latest: { readonly secrets: string; readonly finding: SecretFinding } | undefined
  const find = (secrets: Secrets): SecretFinding => {
    const fingerprint = JSON.stringify([secrets])
    if (latest?.secrets !== fingerprint) latest = { secrets: fingerprint, finding: findingOf(secrets) }
    return latest.finding
  }
  return async () => {
    try {
      return find(await source())
    } catch (error) {
      return { status: 'failed', error }
    }
  }
}

function missing(secrets: Secrets | null): string {
  if (typeof secrets === 'string') return 'is an empty text'
  return Array.isArray(secrets) ? 'is a list without a secret' : 'is missing'
}

const SET_THE_VARIABLE =
  'Set the environment variable that contains it before the program starts. If the secret is not known yet at the start, as during a ' +
  "build, pass a function, which the receiver calls at each delivery: secret: () => process.env['NOTES_SIGNING_SECRET']."

/** The finding for what the function `secret` or `secretOf` returned. */
export function findingOf(secrets: Secrets | null): SecretFinding {
  try {
    const check = signatureCheckOf(secrets)
    return check === undefined ? MISSING : { status: 'found', check }
  } catch (error) {
    return { status: 'invalid', error }
  }
}

function signatureCheckOf(secrets: Secrets | null): SignatureCheck | undefined {
  // Key-value stores return `null` for a missing key, although the type does not allow it.
  const all = [secrets].flat()
  if (all.every(isGap)) return undefined
  for (const each of all) refuseOtherThanSecret(each)
  return createSignatureCheck(all)
}
