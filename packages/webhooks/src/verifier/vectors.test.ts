import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { vectorFiles } from '../../vectors/generate.ts'
import type { Vector, VectorFile } from '../../vectors/generator/vector.ts'
import { createVerifier } from '../verify.ts'
import { keyBytesOf } from './signing-secret.ts'

const FOLDER = join(import.meta.dirname, '../../vectors')
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))
const files = names.map((name): [string, VectorFile] => [name, JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))])
const vectors = files.flatMap(([file, { cases }]) =>
  cases.map((vector) => [`${file}: ${vector.name}`, vector] as const),
)

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('the vectors', () => {
  it('are what generate.ts makes', () => {
    expect(Object.fromEntries(files), 'out of date: run `npm run fix`').toEqual(vectorFiles)
  })

  it('have names of their own', () => {
    const named = vectors.map(([name]) => name)
    expect(named.filter((name, index) => named.indexOf(name) !== index)).toEqual([])
  })
})

describe('a case that is stricter than the contract', () => {
  it('says why, and is a refusal', () => {
    const strict = vectors.filter(([, { stricter_than_contract: why }]) => why !== undefined)
    expect(strict.length).toBeGreaterThan(10)
    for (const [name, { expected, stricter_than_contract }] of strict) {
      expect({ name, status: expected.status }).toEqual({ name, status: 'refused' })
      expect(stricter_than_contract).toMatch(/^(?:the contract|a verifier may) /)
    }
  })
})

describe('a verifier on the crypto of Node.js', () => {
  it.each(vectors)('%s', async (_name, vector) => {
    const webCrypto = vi.spyOn(crypto.subtle, 'sign')
    expect(await answers(vector)).toEqual(forms(vector).map(() => vector.expected))
    expect(webCrypto).not.toHaveBeenCalled()
  })
})

describe('a verifier on WebCrypto', () => {
  it.each(vectors)('%s', async (_name, vector) => {
    const webCrypto = vi.spyOn(crypto.subtle, 'sign')
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    expect(await answers(vector)).toEqual(forms(vector).map(() => vector.expected))
    expect(webCrypto).toHaveBeenCalledTimes(
      reachesTheSignature(vector) ? forms(vector).length * vector.secrets.length : 0,
    )
  })
})

describe('the official library', () => {
  // It takes the digits before the junk for the timestamp, signs the number they are instead of the text, counts no
  // entries, and takes what precedes a second comma.
  const accepts = [
    'signatures.json: 33 entries, the last of which matches',
    'signatures.json: 33 entries, the first of which matches',
    'signatures.json: a signature with a second comma after it',
    'timestamps.json: digits, then letters, signed as what it is taken for',
    'timestamps.json: a fraction, signed as what it is taken for',
    'timestamps.json: a plus sign, signed as what it is taken for',
    'timestamps.json: two timestamps, as a proxy joins repeated headers, signed as what it is taken for',
    'timestamps.json: leading zeros, signed without them',
  ]
  // It signs text, not bytes, and a number, not its digits.
  const refuses = [
    'bodies.json: ISO 8859-1, which is no UTF-8',
    'bodies.json: every byte once',
    'timestamps.json: leading zeros, signed with them',
  ]

  it('agrees on every other vector (§5)', () => {
    const takenFor = (status: string) =>
      vectors
        .filter(([, vector]) => vector.expected.status !== status && officialAnswer(vector) === status)
        .map(([name]) => name)
    expect(takenFor('verified')).toEqual(accepts)
    expect(takenFor('refused')).toEqual(refuses)
  })
})

// In CI they run, and fail if there is no Python.
const RUNS_PYTHON = {
  skip: process.env['CI'] === undefined && spawnSync('python3', ['--version']).status !== 0,
  meta: { skippedBecause: 'python3 is not installed' },
}

describe('a few lines of Python', RUNS_PYTHON, () => {
  it('answer every vector the same', () => {
    const printed = execFileSync('python3', [join(FOLDER, 'verify.py')], { encoding: 'utf8' })
    expect(printed.trim()).toBe(`${vectors.length} of ${vectors.length} vectors answered as expected`)
  })
})

/** What our verifier says to each form in which an attempt can reach it. */
async function answers(vector: Vector): Promise<unknown[]> {
  const verify = createVerifier({ secret: vector.secrets, clock: stoppedAt(vector.now) })
  const verifications = await Promise.all(forms(vector).map(([body, headers]) => verify(body, headers)))
  return verifications.map((verification) =>
    verification.status === 'verified'
      ? { status: 'verified', secret_index: verification.secretIndex }
      : { status: 'refused', reason: verification.reason },
  )
}

function forms(
  vector: Vector,
): readonly (readonly [body: Uint8Array | string, headers: Headers | Vector['headers']])[] {
  const bytes = bytesOf(vector)
  const text = vector.body === undefined ? [] : [vector.body]
  return [bytes, ...text].flatMap((body) => [
    [body, vector.headers] as const,
    [body, new Headers(vector.headers)] as const,
  ])
}

function bytesOf({ body, body_base64 }: Vector): Buffer {
  return body === undefined ? Buffer.from(body_base64 ?? '', 'base64') : Buffer.from(body)
}

function stoppedAt(seconds: number) {
  return { now: () => seconds * 1000, sleep: () => Promise.resolve() }
}

function reachesTheSignature({ expected }: Vector): boolean {
  return expected.status === 'verified' || expected.reason === 'no-matching-signature'
}

/** The official library knows no rotation: each secret is asked in turn. */
function officialAnswer(vector: Vector): 'verified' | 'refused' {
  vi.useFakeTimers({ toFake: ['Date'], now: vector.now * 1000 })
  const accepted = vector.secrets.some((secret) => {
    try {
      new Webhook(keyBytesOf(secret), { format: 'raw' }).verify(
        bytesOf(vector),
        { ...vector.headers },
        { jsonParse: false },
      )
      return true
    } catch {
      return false
    }
  })
  return accepted ? 'verified' : 'refused'
}
