import { createSignatureCheck, type SignatureCheck } from '../verifier/signature-check.ts'
import type { Observer } from './observer.ts'

/** One secret, or several while a rotation lasts; `undefined` or an empty string while there is none yet. */
export type Secrets = string | readonly string[] | undefined

/**
 * Where a receiver gets its signing secret: the secret itself, or a function that is asked at each delivery. A missing
 * one is no mistake at construction, since builds run, and the first verification arrives, before anyone can know it:
 * deliveries are answered 503 until there is one, and the service tries again.
 */
export type SecretSource = Secrets | (() => Secrets | Promise<Secrets>)

/**
 * A function that finds the signature check of the current secret: at once where the secret is known, `undefined` while
 * there is none, which it reports.
 *
 * @throws SecretError at once for a malformed secret
 */
export function signatureCheckFrom(
  source: SecretSource,
  observer: Observer,
): () => SignatureCheck | undefined | Promise<SignatureCheck | undefined> {
  if (typeof source !== 'function') {
    const check = signatureCheckOf(source)
    if (check !== undefined) return () => check
    return () => {
      observer.noSecret()
      return undefined
    }
  }

  // A secret rarely changes between deliveries, and preparing its key costs more than using it.
  let latest: { readonly secrets: string; readonly check: SignatureCheck | undefined } | undefined
  return async () => {
    try {
      const secrets = await source()
      const fingerprint = JSON.stringify([secrets])
      if (latest?.secrets !== fingerprint) latest = { secrets: fingerprint, check: signatureCheckOf(secrets) }
      if (latest.check === undefined) observer.noSecret()
      return latest.check
    } catch (error) {
      observer.secretFailed(error)
      return undefined
    }
  }
}

function signatureCheckOf(secrets: Secrets): SignatureCheck | undefined {
  // Key-value stores say `null` for what they do not have, whatever the types promise.
  const all = [secrets ?? []].flat()
  const known = all.filter(isPresent)
  if (known.length === 0) return undefined
  const check = createSignatureCheck(known)
  return known.length === all.length ? check : toldByPlaceIn(all, check)
}

/** A check whose `secretIndex` counts the secrets that are not there yet. */
function toldByPlaceIn(all: readonly string[], check: SignatureCheck): SignatureCheck {
  const places = all.flatMap((secret, place) => (isPresent(secret) ? [place] : []))
  return async (body, headers) => {
    const verification = await check(body, headers)
    if (verification.status === 'refused') return verification
    return { ...verification, secretIndex: places[verification.secretIndex] ?? verification.secretIndex }
  }
}

function isPresent(secret: string | undefined): secret is string {
  return secret !== undefined && secret !== ''
}
