import type { Clock } from '@notewire/protocol'
import { createVerifier, type Verifier } from '../verifier/verifier.ts'
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
 * A function that finds the verifier of the moment: at once where the secret is known, `undefined` while there is none,
 * which it reports.
 *
 * @throws SecretError at once for a malformed secret
 */
export function verifierFrom(
  source: SecretSource,
  options: { readonly toleranceSeconds?: number | undefined; readonly clock: Clock },
  observer: Observer,
): () => Verifier | undefined | Promise<Verifier | undefined> {
  const verifierOf = (secrets: Secrets): Verifier | undefined => {
    // Key-value stores say `null` for what they do not have, whatever the types promise.
    const known = [secrets ?? []].flat().filter(isPresent)
    return known.length === 0 ? undefined : createVerifier({ ...options, secret: known })
  }
  if (typeof source !== 'function') {
    const verifier = verifierOf(source)
    if (verifier !== undefined) return () => verifier
    return () => {
      observer.noSecret()
      return undefined
    }
  }

  // A secret rarely changes between deliveries, and preparing its key costs more than using it.
  let latest: { readonly secrets: string; readonly verifier: Verifier | undefined } | undefined
  return async () => {
    try {
      const secrets = await source()
      const fingerprint = JSON.stringify([secrets])
      if (latest?.secrets !== fingerprint) latest = { secrets: fingerprint, verifier: verifierOf(secrets) }
      if (latest.verifier === undefined) observer.noSecret()
      return latest.verifier
    } catch (error) {
      observer.secretFailed(error)
      return undefined
    }
  }
}

function isPresent(secret: string | undefined): secret is string {
  return secret !== undefined && secret !== ''
}
