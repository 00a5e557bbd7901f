import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { readEvent } from '@notewire/protocol/schemas'
import { createVerifier } from '@notewire/webhooks/verify'
import { verify as octokitVerify } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { KEY, PEER_SECRET, SECRET, type SignedDelivery, signDeliveries, TEXT_SECRET } from './deliveries.ts'
import { measureTurnByTurn } from './measure.ts'
import type { Row, Table } from './report.ts'

const DISTINCT = 512

/** The limits of the time of verification alone, as multiples of its floor. */
const LIMITS: Readonly<Record<number, number>> = { 330: 1.25, 8192: 1.1 }

const key = createSecretKey(KEY)
const verify = createVerifier({ secret: SECRET })

type Contenders = Readonly<Record<string, (delivery: SignedDelivery) => unknown>>

/** Measures verification: alone, and with parsing and validation, from bytes to an event. */
export async function measureVerification(): Promise<readonly Table[]> {
  const alone: Row[] = []
  const whole: Table[] = []
  for (const [bytes, limit] of Object.entries(LIMITS)) {
    const deliveries = signDeliveries(DISTINCT, Number(bytes))
    alone.push(...rowsAlone(bytes, limit, await measure(verification, deliveries)))
    whole.push(tableOf(bytes, await measure(readers(), deliveries)))
  }
  return [{ title: 'Verify an event', unit: 'µs', note: NOTE_ALONE, rows: alone }, ...whole]
}

const NOTE_ALONE =
  'The signature and the timestamp, without parsing. The floor is the HMAC and its comparison. Ratios and budgets: to the floor.'

function measure(
  contenders: Contenders,
  deliveries: readonly SignedDelivery[],
): Promise<Readonly<Record<string, number>>> {
  const at = (turn: number): SignedDelivery => deliveries[turn % DISTINCT] ?? neverEmpty()
  return measureTurnByTurn(
    Object.fromEntries(Object.entries(contenders).map(([name, accept]) => [name, (turn) => accept(at(turn))])),
    { rounds: 15, operations: 4000 },
  )
}

const verification = { floor: verifyAtTheFloor, notewire: verifyByNotewire }

function verifyAtTheFloor({ body, headers }: SignedDelivery): void {
  const signature = Buffer.from(headers['webhook-signature']?.slice(3) ?? '', 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`
  const expected = createHmac('sha256', key).update(signed).update(body).digest()
  if (!timingSafeEqual(expected, signature)) throw new Error('not verified')
}

async function verifyByNotewire({ body, headers }: SignedDelivery): Promise<void> {
  const verification = await verify(body, headers)
  if (verification.status === 'refused') throw new Error(verification.reason)
}

function readers(): Contenders {
  const standard = new StandardWebhook(PEER_SECRET)
  const svix = new SvixWebhook(PEER_SECRET)
  const stripe = new Stripe('sk_test_none')
  return {
    'the floor (HMAC, comparison, JSON.parse)': (delivery) => {
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
}

function rowsAlone(bytes: string, limit: number, nanoseconds: Readonly<Record<string, number>>): readonly Row[] {
  const floor = nanoseconds['floor'] ?? Number.NaN
  return Object.entries(nanoseconds).map(([name, value]) => ({
    name: `${name}, ${bytes} bytes`,
    value: value / 1000,
    ratio: value / floor,
    ...(name === 'notewire' ? { budget: (limit * floor) / 1000 } : {}),
  }))
}

function tableOf(bytes: string, nanoseconds: Readonly<Record<string, number>>): Table {
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
