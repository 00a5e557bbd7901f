import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { TEST_SECRET } from '../fixtures/secrets.ts'
import { setUpReceiver } from '../fixtures/set-up-receiver.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'

const URL = 'https://receiver.test/hooks'

function streaming(chunks: readonly Uint8Array[], events: string[] = []): Request {
  const left = [...chunks]
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const next = left.shift()
        if (next === undefined) controller.close()
        else controller.enqueue(next)
        events.push('read')
      },
      cancel: () => void events.push('cancelled'),
    },
    { highWaterMark: 0 },
  )
  return new Request(URL, { method: 'POST', body, duplex: 'half' } as RequestInit)
}

describe('the body of a Web request', () => {
  it.each([
    ['has read', (request: Request) => request.json()],
    ['has read, and let go of,', (request: Request) => readToEnd(request.body?.getReader())],
    ['is about to read', async (request: Request) => request.body?.getReader()],
  ])(
    'that somebody else %s leaves nothing to verify: 500 at once, and a log line that names the fix',
    async (_what, use) => {
      const { receiver, logger } = setUpReceiver()
      const attempt = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }))
      const request = new Request(URL, { method: 'POST', ...attempt })
      await use(request)
      expect((await receiver.fetch(request)).status).toBe(500)
      expect(logger.lines).toEqual([expect.stringMatching(/^error .*Mount the receiver before any body parser/)])
    },
  )

  it('that is not there is an empty one, which nobody signed: 401', async () => {
    expect((await setUpReceiver().receiver.fetch(new Request(URL, { method: 'POST' }))).status).toBe(401)
  })

  it('is put together from its chunks, whatever their number and size', async () => {
    const { clock, receiver, outcomes } = setUpReceiver()
    const event = anEvent({ kind: 'note.ended', noteId: 'n'.repeat(20_000) })
    const { headers, body } = await signAttempt(TEST_SECRET, event, { signedAt: clock.now() })
    const bytes = Buffer.from(body)
    for (const size of [1, 7, 4_096, 5_000, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      )
      const request = new Request(streaming(chunks), { headers })
      expect((await receiver.fetch(request)).status).toBe(204)
    }
    expect(outcomes.map(({ status }) => status)).toEqual(['unhandled', ...Array(4).fill('duplicate')])
  })

  it('is read up to the cap and not on: 413, and the rest is cancelled', async () => {
    const { receiver } = setUpReceiver({ maxBodyBytes: 1_000 })
    const events: string[] = []
    const chunks = Array.from({ length: 100 }, () => new Uint8Array(500))
    expect((await receiver.fetch(streaming(chunks, events))).status).toBe(413)
    await nextTurn()
    expect(events).toEqual(['read', 'read', 'read', 'cancelled'])
  })

  it('of exactly the cap is read', async () => {
    const { receiver } = setUpReceiver({ maxBodyBytes: 1_000 })
    expect((await receiver.fetch(streaming([new Uint8Array(400), new Uint8Array(600)]))).status).toBe(401)
  })

  it('that breaks off is answered 400', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('the sender is gone')) })
    const request = new Request(URL, { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect((await setUpReceiver().receiver.fetch(request)).status).toBe(400)
  })

  it('that stalls is answered 408 at eight seconds, and cancelled', async () => {
    const { clock, receiver } = setUpReceiver()
    const asked = Promise.withResolvers<void>()
    let cancelled = false
    const body = new ReadableStream({
      pull: () => {
        asked.resolve()
        return new Promise<never>(() => undefined)
      },
      cancel: () => {
        cancelled = true
      },
    })
    let answered = false
    const request = new Request(URL, { method: 'POST', body, duplex: 'half' } as RequestInit)
    const response = receiver.fetch(request).finally(() => {
      answered = true
    })
    await asked.promise
    await clock.advance(7_999)
    expect(answered).toBe(false)
    await clock.advance(1)
    expect((await response).status).toBe(408)
    expect(cancelled).toBe(true)
  })
})

describe('what a framework passes beside the request', () => {
  it('is ignored, and `fetch` needs no receiver to be called on', async () => {
    const { fetch } = setUpReceiver().receiver
    const loose: (request: Request, context: object) => Promise<Response> = fetch
    expect((await loose(new Request(URL), { params: {} })).status).toBe(404)
  })
})

async function readToEnd(reader: ReadableStreamDefaultReader | undefined): Promise<void> {
  while ((await reader?.read())?.done === false);
  reader?.releaseLock()
}
