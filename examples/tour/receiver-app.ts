import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Clock } from '@notewire/protocol'
import { createReceiver, type SecretSource } from '@notewire/webhooks'
import { expressHandler } from '@notewire/webhooks/express'
import express from 'express'
import type { NotesCopy } from './notes-copy.ts'

/** How many deliveries ended in each way. */
interface Outcomes {
  applied: number
  duplicate: number
  stale: number
  sentBack: number
}

/** A receiver in an Express application, on a port. */
export interface RunningReceiver extends AsyncDisposable {
  readonly url: string
  readonly outcomes: Readonly<Outcomes>
}

export async function startReceiver({
  copy,
  clock,
  secret,
}: {
  copy: NotesCopy
  clock: Clock
  secret: SecretSource
}): Promise<RunningReceiver> {
  const outcomes: Outcomes = { applied: 0, duplicate: 0, stale: 0, sentBack: 0 }
  const receiver = createReceiver({
    secret,
    clock,
    on: {
      'note.ended': ({ data }) => copy.refresh(data.note_id),
      'note.summary.generated': ({ data }) => copy.refresh(data.note_id),
      'note.updated': ({ data }) => copy.refresh(data.note_id),
      'note.deleted': ({ data }) => copy.remove(data.note_id),
    },
    hooks: {
      onOutcome: ({ status, event }) => {
        if (!event.event_type.startsWith('note.')) return
        if (status === 'applied' || status === 'duplicate' || status === 'stale') outcomes[status] += 1
        else outcomes.sentBack += 1
      },
    },
    // The tour tells the story itself; an application keeps the default, which is the console.
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
  })

  const app = express()
  app.post('/webhooks/notes', expressHandler(receiver))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhooks/notes`,
    outcomes,
    async [Symbol.asyncDispose]() {
      await receiver.close()
      server.close()
      server.closeAllConnections()
    },
  }
}
