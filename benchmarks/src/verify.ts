import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { readEvent } from '@notewire/protocol/schemas'
import { createVerifier } from '@notewire/webhooks/verify'
import { verify as octokitVerify } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { KEY, PEER_SECRET, SECRET, type SignedDelivery, signDeliveries, TEXT_SECRET } from './deliveries.ts'
import { measureTurnByTurn } from './measure.ts'
import { comparedWith, type Row, type Table } from './report.ts'

const DISTINCT = 512
const FLOOR = 'the floor'
/** Our limit, as a multiple of the floor. */
const AIM = 1.5

/** Measures verification: the signature, the timestamp, parsing and validation, from bytes to an event. */
export async function measureVerification(): Promise<readonly Table[]> {
  const rows: Row[] = []
  for (const [column, bytes] of Object.entries({ '330 bytes': 330, '8 KiB': 8192 })) {
    const deliveries = signDeliveries(DISTINCT, bytes)
    const at = (turn: number): SignedDelivery => deliveries[turn % DISTINCT] ?? neverEmpty()
    const microseconds = await measureTurnByTurn(
      Object.fromEntries(Object.entries(contenders()).map(([name, accept]) => [name, (turn) => accept(at(turn))])),
      { rounds: 15, operations: 2000 },
    )
    const limits = (name: string) => (name === 'notewire' ? { aim: AIM } : { isAlternative: name !== FLOOR })
    rows.push(...comparedWith(FLOOR, microseconds, (name) => ({ column, ...limits(name) })))
  }
  return [
    {
      title: 'How long does it take to verify, parse and validate an event?',
      unit: 'µs',
      note: 'Only Notewire validates. The floor is an HMAC, a comparison and `JSON.parse`. stripe and @octokit/webhooks-methods verify their own signature schemes, and the latter checks no timestamp.',
      rows,
    },
  ]
}

function contenders(): Readonly<Record<string, (delivery: SignedDelivery) => unknown>> {
  const key = createSecretKey(KEY)
  const verify = createVerifier({ secret: SECRET })
  const standard = new StandardWebhook(PEER_SECRET)
  const svix = new SvixWebhook(PEER_SECRET)
  const stripe = new Stripe('sk_test_none')
  return {
    [FLOOR]: ({ body, headers }) => {
      const signature = Buffer.from(headers['webhook-signature']?.slice(3) ?? '', 'base64')
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`
      const expected = createHmac('sha256', key).update(signed).update(body).digest()
      if (!timingSafeEqual(expected, signature)) throw new Error('not verified')
      return JSON.parse(body.toString())
    },
    notewire: async ({ body, headers }) => {
      const verification = await verify(body, headers)
      if (verification.status === 'refused') throw new Error(verification.reason)
      return readEvent(JSON.parse(body.toString()))
    },
    standardwebhooks: ({ body, headers }) => standard.verify(body, headers),
    svix: ({ body, headers }) => {
      svix.verify(body.toString(), headers)
      return JSON.parse(body.toString())
    },
    stripe: ({ body, stripeSignature }) => stripe.webhooks.constructEvent(body, stripeSignature, TEXT_SECRET),
    '@octokit/webhooks-methods': async ({ body, githubSignature }) => {
      const payload = body.toString()
      if (!(await octokitVerify(TEXT_SECRET, payload, githubSignature))) throw new Error('not verified')
      return JSON.parse(payload)
    },
  }
}

function neverEmpty(): never {
  throw new Error('no deliveries were signed')
}
