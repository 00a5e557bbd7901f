import bodies from '@notewire/webhooks/vectors/bodies.json' with { type: 'json' }
import headers from '@notewire/webhooks/vectors/headers.json' with { type: 'json' }
import rotation from '@notewire/webhooks/vectors/rotation.json' with { type: 'json' }
import secrets from '@notewire/webhooks/vectors/secrets.json' with { type: 'json' }
import signatures from '@notewire/webhooks/vectors/signatures.json' with { type: 'json' }
import tampering from '@notewire/webhooks/vectors/tampering.json' with { type: 'json' }
import timestamps from '@notewire/webhooks/vectors/timestamps.json' with { type: 'json' }
import { createVerifier } from '@notewire/webhooks/verify'

const FILES: Readonly<Record<string, { readonly cases: readonly object[] }>> = {
  bodies,
  headers,
  rotation,
  secrets,
  signatures,
  tampering,
  timestamps,
}

interface Vector {
  readonly name: string
  readonly secrets: readonly string[]
  readonly now: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly body_base64?: string
  readonly expected: { readonly status: string; readonly reason?: string; readonly secret_index?: number }
}

/** Verifies every vector that the package brings, with headers as an object and as `Headers`. */
export async function verifierVectors() {
  const signing = countCalls(crypto.subtle, 'sign')
  const wrong: object[] = []
  let answered = 0
  for (const [file, { cases }] of Object.entries(FILES)) {
    for (const vector of cases as readonly Vector[]) {
      for (const answer of await answersTo(vector)) {
        answered += 1
        if (answer !== inWords(vector)) wrong.push({ file, name: vector.name, answer, expected: vector.expected })
      }
    }
  }
  return { answered, wrong, crypto: signing.calls > 0 ? 'WebCrypto' : 'node:crypto' }
}

async function answersTo({ secrets, now, headers, body, body_base64 }: Vector): Promise<string[]> {
  const verify = createVerifier({ secret: secrets, clock: { now: () => now * 1000, sleep: () => Promise.resolve() } })
  const bytes =
    body === undefined
      ? Uint8Array.from(atob(body_base64 ?? ''), (character) => character.charCodeAt(0))
      : new TextEncoder().encode(body)
  const verifications = [await verify(bytes, headers), await verify(bytes, new Headers(headers))]
  return verifications.map((each) => (each.status === 'verified' ? `verified by ${each.secretIndex}` : each.reason))
}

function inWords({ expected }: Vector): string | undefined {
  return expected.status === 'verified' ? `verified by ${expected.secret_index}` : expected.reason
}

function countCalls(subtle: SubtleCrypto, method: 'sign'): { readonly calls: number } {
  const counter = { calls: 0 }
  const original = subtle[method].bind(subtle)
  Object.defineProperty(subtle, method, {
    configurable: true,
    value: (...args: Parameters<SubtleCrypto['sign']>) => {
      counter.calls += 1
      return original(...args)
    },
  })
  return counter
}
