import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { readEvent } from '@notewire/protocol/schemas'
import { createVerifier } from '@notewire/webhooks/verify'
import { verify as octokitVerify } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { KEY, PEER_SECRET, SECRET, type SignedDelivery, signDeliveries, TEXT_SECRET } from './deliveries.ts'
import { measureTurnByTurn } from './measure.ts'
import type { Table } from './report.ts'

const DISTINCT = 512

/** Measures verification: the signature, the timestamp, parsing and validation, from bytes to an event. */
export async function measureVerification(): Promise<readonly Table[]> {
  const tables: Table[] = []
  for (const bytes of [330, 8192]) {
    const deliveries = signDeliveries(DISTINCT, bytes)
    const at = (turn: number): SignedDelivery => deliveries[turn % DISTINCT] ?? neverEmpty()
    const nanoseconds = await measureTurnByTurn(
      Object.fromEntries(Object.entries(contenders()).map(([name, accept]) => [name, (turn) => accept(at(turn))])),
      { rounds: 15, operations: 4000 },
    )
    tables.push(tableOf(bytes, nanoseconds))
  }
  return tables
}

function contenders(): Readonly<Record<string, (delivery: SignedDelivery) => unknown>> {
  const key = createSecretKey(KEY)
  const verify = createVerifier({ secret: SECRET })
  const standard = new StandardWebhook(PEER_SECRET)
  const svix = new SvixWebhook(PEER_SECRET)
  const stripe = new Stripe('sk_test_none')
  return {
    'the floor (HMAC, comparison, JSON.parse)': ({ body, headers }) => {
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

function tableOf(bytes: number, nanoseconds: Readonly<Record<string, number>>): Table {
  const ours = nanoseconds['notewire'] ?? Number.NaN
  return {
    title: `Verify, parse and validate an event of ${bytes} bytes`,
    unit: 'µs',
    note: 'Stripe and Octokit verify their own schemes, and only Notewire validates. Octokit checks no timestamp.',
    rows: Object.entries(nanoseconds).map(([name, value]) => ({ name, value: value / 1000, ratio: value / ours })),
  }
}

function neverEmpty(): never {
  throw new Error('no deliveries were signed')
}
