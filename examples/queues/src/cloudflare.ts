import { createReceiver, jobResult, queuedEvent, type Receiver } from '@notewire/webhooks'
import { type D1Binding, d1, sqliteStore } from '@notewire/webhooks/sqlite'

interface Env {
  readonly NOTES_SIGNING_SECRET?: string
  readonly DB: D1Binding
  readonly NOTES: { send(job: object, options?: { delaySeconds: number }): Promise<unknown> }
  readonly MODEL: { fetch(url: string, init: RequestInit): Promise<Response> }
}
interface Message {
  readonly body: object
  readonly attempts: number
  ack(): void
  retry(options: { delaySeconds: number }): void
}

let receiver: Receiver | undefined
async function receiverOf({ NOTES_SIGNING_SECRET, DB, NOTES, MODEL }: Env): Promise<Receiver> {
  if (receiver !== undefined) return receiver
  const store = sqliteStore(d1(DB))
  await store.migrate()
  receiver ??= createReceiver({
    secret: NOTES_SIGNING_SECRET,
    store,
    queue: (event, { integration }) => NOTES.send({ integration, event }),
    on: {
      'note.ended': async ({ data }, { signal }) => {
        const { ok } = await MODEL.fetch('https://model/', { method: 'POST', body: data.note_id, signal })
        if (!ok) throw new RangeError('the model refused the note')
      },
    },
  })
  return receiver
}

export default {
  fetch: async (request: Request, env: Env) => (await receiverOf(env)).fetch(request),
  // Each message is settled by itself: one that fails does not repeat the others of its batch.
  queue: ({ messages }: { messages: readonly Message[] }, env: Env) =>
    Promise.all(messages.map((each) => work(each, env))),
}

async function work(message: Message, env: Env): Promise<void> {
  try {
    const { event, integration } = queuedEvent(message.body)
    const { process } = await receiverOf(env)
    const result = jobResult(await process(event, { integration }))
    if (result.status === 'again') throw result.error
    // A new message, because `retry` would count as an attempt.
    if (result.status === 'later')
      await env.NOTES.send(message.body, { delaySeconds: Math.ceil(result.delayMs / 1_000) })
    message.ack()
  } catch (error) {
    console.error(error instanceof Error ? error.message : 'the queue did not answer')
    message.retry({ delaySeconds: Math.min(3_600, 2 ** message.attempts) })
  }
}
