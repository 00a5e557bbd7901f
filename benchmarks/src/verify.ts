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

/** The sizes of events, and our limit of verification alone, as a multiple of its floor. */
const SIZES = [
  { size: '330 bytes', bytes: 330, aim: 1.25 },
  { size: '8 KiB', bytes: 8192, aim: 1.1 },
]
/** Our limit of verification, parsing and validation, as a multiple of its floor. */
const AIM = 1.5

type Contenders = Readonly<Record<string, (delivery: SignedDelivery) => unknown>>

/** Measures verification: alone, and with parsing and validation, from bytes to an event. */
export async function measureVerification(): Promise<readonly Table[]> {
  const rows: Row[] = []
  for (const { size, bytes, aim } of SIZES) {
    rows.push(...(await measure(verifiers, bytes, `verify ${size}`, aim)))
    rows.push(...(await measure(readers, bytes, `verify and parse ${size}`, AIM)))
  }
  return [
    {
      title: 'How long does it take to verify an event?',
      unit: 'µs',
      note: 'The floor is an HMAC, a comparison and `JSON.parse`. Notewire also validates what it parses. stripe and @octokit/webhooks-methods verify signatures of another form, and @octokit/webhooks-methods checks no timestamp.',
      rows,
    },
  ]
}

async function measure(contenders: Contenders, bytes: number, column: string, aim: number): Promise<readonly Row[]> {
  const deliveries = signDeliveries(DISTINCT, bytes)
  const at = (turn: number): SignedDelivery => deliveries[turn % DISTINCT] ?? neverEmpty()
  const microseconds = await measureTurnByTurn(
    Object.fromEntries(Object.entries(contenders).map(([name, accept]) => [name, (turn) => accept(at(turn))])),
    { rounds: 15, operations: 2000 },
  )
  const limits = (name: string) => (name === 'notewire' ? { aim } : { isAlternative: name !== 'the floor' })
  return comparedWith('the floor', microseconds, (name) => ({ column, ...limits(name) }))
}

const key = createSecretKey(KEY)
const verify = createVerifier({ secret: SECRET })
const standard = new StandardWebhook(PEER_SECRET)
const svix = new SvixWebhook(PEER_SECRET)
const stripe = new Stripe('sk_test_none')

const verifiers = { 'the floor': verifyAtTheFloor, notewire: verifyByNotewire }

const readers: Contenders = {
  'the floor': (delivery) => {
    verifyAtTheFloor(delivery)
    return JSON.parse(delivery.body.toString())
  },
  notewire: async (delivery) => {
    await verifyByNotewire(delivery)
    return readEvent(JSON.parse(delivery.body.toString()))
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

function verifyAtTheFloor({ body, headers }: SignedDelivery): void {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`
  const expected = createHmac('sha256', key).update(signed).update(body).digest('base64')
  // The texts are compared: several texts of base64 decode to the same bytes.
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(headers['webhook-signature']?.slice(3) ?? ''))) {
    throw new Error('not verified')
  }
}

async function verifyByNotewire({ body, headers }: SignedDelivery): Promise<void> {
  const verification = await verify(body, headers)
  if (verification.status === 'refused') throw new Error(verification.reason)
}

function neverEmpty(): never {
  throw new Error('no deliveries were signed')
}
