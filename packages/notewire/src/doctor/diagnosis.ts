import type { Bench } from './bench.ts'
import { type DeliveryTraits, versioned } from './delivery.ts'
import { madeUpEvent } from './made-up-event.ts'
import { isAcknowledged, isRefusal, type Reply, seconds } from './reply.ts'
import { type Signer, signerWithKey, textAfterPrefix } from './signer.ts'

/** A mistake that receivers make, and the delivery that one which makes it would take. */
interface Mistake {
  readonly cause: string
  readonly delivery: () => Partial<DeliveryTraits>
}

const CLOCK_OFF_BY_MS = 240_000

/** Finds out why a receiver does not take a valid delivery: from its answer, or by sending what it would take. */
export async function diagnoseRefusal(bench: Bench): Promise<string | undefined> {
  const { first, secret, deliver } = bench
  const told = causeToldBy(first.reply, textAfterPrefix(secret))
  if (told !== undefined) return told
  if (!isRefusal(first.reply)) return undefined
  for (const { cause, delivery } of mistakes(bench)) {
    if (isAcknowledged((await deliver(delivery())).reply)) return cause
  }
  return 'its secret is not the one that was given here, or it does not verify the bytes that came'
}

function causeToldBy(reply: Reply, secretText: string): string | undefined {
  if (reply.kind !== 'answered') return undefined
  const { status, dateMs } = reply
  const clockOffMs = dateMs === undefined ? 0 : Math.abs(Date.now() - dateMs)
  if (clockOffMs > CLOCK_OFF_BY_MS) return `its clock, by its Date header, is ${seconds(clockOffMs)} off`
  if (status === 404 || status === 405) return 'nothing takes POST at this path'
  if (status === 413) return 'it takes no body of this size'
  if (status === 415) return 'it takes no application/json'
  if (status === 429) return 'a rate limit turns deliveries away'
  if (status === 503) return 'it says that it is not ready: perhaps it does not know its secret'
  if (status < 500) return undefined
  const breaks = 'it breaks, before or after it has verified: its log says where'
  const isHardToDecode = /[-_]/.test(secretText) || secretText.length % 4 !== 0
  return isHardToDecode
    ? `${breaks}. Perhaps it decodes the secret as standard base64 with padding; it is base64url without`
    : breaks
}

function mistakes({ secret, signer }: Bench): readonly Mistake[] {
  const text = textAfterPrefix(secret)
  const body = JSON.stringify(madeUpEvent('note.updated'))
  const signedWith = (key: Uint8Array) => () => ({ signer: signerWithKey(key) })
  const signedAs = (sign: Signer['sign']) => () => ({ body, signer: { sign } })
  return [
    {
      cause: 'it uses the secret as its own key: take whsec_ off and base64url-decode the rest',
      delivery: signedWith(Buffer.from(secret)),
    },
    { cause: 'it uses the text after whsec_ as the key: base64url-decode it', delivery: signedWith(Buffer.from(text)) },
    {
      cause: 'it decodes the secret as standard base64 and loses its "-" and "_": decode base64url',
      delivery: signedWith(Buffer.from(text.replaceAll(/[-_]/g, ''), 'base64')),
    },
    {
      cause: 'it verifies JSON that was parsed and serialised again (as json.dumps does): verify the raw bytes',
      delivery: signedAs((id, timestamp) => signer.sign(id, timestamp, Buffer.from(asPythonWrites(body)))),
    },
    {
      cause: 'it verifies JSON that was parsed and serialised again, with its keys sorted: verify the raw bytes',
      delivery: signedAs((id, timestamp) => signer.sign(id, timestamp, Buffer.from(withSortedKeys(body)))),
    },
    {
      cause: 'it expects the signature in hex: it comes in base64',
      delivery: () => ({ signature: (right) => versioned(Buffer.from(right, 'base64').toString('hex')) }),
    },
    {
      cause: 'it expects the signature in base64url: it comes in standard base64, padded',
      delivery: () => ({ signature: (right) => versioned(Buffer.from(right, 'base64').toString('base64url')) }),
    },
    { cause: 'it expects the signature without "v1," before it', delivery: () => ({ signature: (right) => right }) },
    {
      cause: 'it reads webhook-timestamp as milliseconds: it is in seconds',
      delivery: () => ({ timestamp: String(Date.now()) }),
    },
  ]
}

/** `json.dumps` of a body that JSON.stringify wrote: a space behind commas and colons. */
function asPythonWrites(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 1)
    .replaceAll(/,\n\s*/g, ', ')
    .replaceAll(/\n\s*/g, '')
}

function withSortedKeys(body: string): string {
  return JSON.stringify(sorted(JSON.parse(body)))
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const pairs = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(pairs.map(([key, each]) => [key, sorted(each)]))
}
