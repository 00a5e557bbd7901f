import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createReceivers, type Receivers } from '@notewire/webhooks'
import { attemptOf, SECRET, signDeliveries } from './deliveries.ts'

const RECEIVERS = 10
const INTEGRATIONS = 10_000

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const [delivery] = signDeliveries(1, 330)
const held: Receivers[] = []

process.send?.('ready')
process.once('message', async () => {
  // A first receiver, which is garbage later, grows the heap. Its growth would otherwise count as memory of the secrets.
  await fill('warm-up')
  const before = await heldBytes()
  for (let count = 0; count < RECEIVERS; count += 1) held.push(await fill(String(count)))
  process.send?.(((await heldBytes()) - before) / RECEIVERS / INTEGRATIONS)
})

async function fill(name: string): Promise<Receivers> {
  const receiver = createReceivers({ secretOf: () => SECRET, sink: async () => undefined })
  for (let index = 0; index < INTEGRATIONS; index += 1) {
    await receiver.respond(attemptOf(delivery, `integration-${name}-${index}`))
  }
  return receiver
}

/** The used heap and all memory outside the heap: keys are native objects, which no heap counter includes. */
async function heldBytes(): Promise<number> {
  for (let collection = 0; collection < 3; collection += 1) {
    await nextTurn()
    collectGarbage()
  }
  const { heapTotal, heapUsed, rss } = process.memoryUsage()
  return rss - heapTotal + heapUsed
}
