import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createReceiver } from '@notewire/webhooks'
import { Webhook } from 'standardwebhooks'
import { attemptOf, PEER_SECRET, SECRET, type SignedDelivery, signDeliveries } from './deliveries.ts'
import { mediansTurnByTurn } from './measure.ts'
import { comparedWith, type Table } from './report.ts'

/** Few enough that the garbage collector does not run during a measurement. */
const EVENTS = 50
const WARM_UP = 4_000
const ROUNDS = 51
const BUDGET_KB = 10

/** Measures the memory allocated per event. Garbage collection costs a server processor time in other threads. */
export async function measureAllocation(): Promise<readonly Table[]> {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const receiver = createReceiver({ secret: SECRET, on: { 'note.updated': () => undefined } })
  const webhook = new Webhook(PEER_SECRET)
  const contenders: Readonly<Record<string, (delivery: SignedDelivery) => unknown>> = {
    'hand-written': ({ body, headers }) => webhook.verify(body, headers),
    notewire: (delivery) => receiver.respond(attemptOf(delivery, 'default')),
  }
  const samples: Record<string, () => Promise<number>> = {}
  for (const [name, accept] of Object.entries(contenders)) {
    const deliveries = signDeliveries(WARM_UP + ROUNDS * EVENTS, 330)
    for (const delivery of deliveries.slice(0, WARM_UP)) await accept(delivery)
    let next = WARM_UP
    samples[name] = async () => {
      collectGarbage()
      const before = process.memoryUsage().heapUsed
      for (const end = next + EVENTS; next < end; next += 1) await accept(deliveryAt(deliveries, next))
      return (process.memoryUsage().heapUsed - before) / EVENTS / 1024
    }
  }
  const kilobytes = await mediansTurnByTurn(samples, ROUNDS)
  return [
    {
      title: 'How much memory does an event allocate?',
      unit: 'kB',
      note: 'Without a socket. *Hand-written* only verifies and parses, with `standardwebhooks`.',
      rows: comparedWith('hand-written', kilobytes, (name) =>
        name === 'notewire' ? { budget: BUDGET_KB } : { isAlternative: true },
      ),
    },
  ]
}

function deliveryAt(deliveries: readonly SignedDelivery[], index: number): SignedDelivery {
  const delivery = deliveries[index]
  if (delivery === undefined) throw new Error('too few deliveries')
  return delivery
}
