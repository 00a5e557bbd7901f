import type { AttemptHeaders } from '../verifier/signature-headers.ts'
import type { Refusal } from '../verifier/verification.ts'
import type { Verifier } from '../verifier/verifier.ts'

/** No notification is this large, and whoever sends what is refused must not be able to buy much of our time. */
const LARGEST_BODY_BYTES = 16_384

/** Finds out, for the log, why no signature matched: whoever reads it has a proxy to fix, or a secret to look up. */
export async function diagnose(
  refusal: Refusal,
  verify: Verifier,
  body: Uint8Array,
  headers: AttemptHeaders,
): Promise<Refusal> {
  if (refusal.reason !== 'no-matching-signature') return refusal
  const original = reserialised(body)
  const wasRewritten = original !== undefined && (await verify(original, headers)).status === 'verified'
  const detail = wasRewritten
    ? 'the body was re-serialised on its way: the signature is that of the same JSON without the spaces. Find the proxy or ' +
      'parser that rewrites bodies; what was signed are the bytes as they were sent'
    : `${refusal.detail}: the secret is that of another endpoint, or from before a rotation, or the body was changed on its way`
  return { ...refusal, detail }
}

/** The body as a service is likely to have written it, where that is not how it came. */
function reserialised(body: Uint8Array): string | undefined {
  if (body.length > LARGEST_BODY_BYTES) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const compact = JSON.stringify(JSON.parse(text))
    return compact === text ? undefined : compact
  } catch {
    return undefined
  }
}
