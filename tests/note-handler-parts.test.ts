import { DatabaseSync } from 'node:sqlite'
import { NotesClient, noteHandlers } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { OptionError, type WebhookEvent } from '@notewire/protocol'
import { createReceiver, createReceivers, type ReceiverOptions, type ReceiversOptions } from '@notewire/webhooks'
import { sqliteTransactions } from '@notewire/webhooks/sqlite'
import { describe, expect, it } from 'vitest'

const SECRET = 'whsec_bm90ZXdpcmUtbm90ZS1oYW5kbGVycy10ZXN0'
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }

async function setUp() {
  const service = await createNotesService({ notes: 1 })
  const changed: string[] = []
  const { baseUrl, apiKey, fetch, clock } = service
  const handlers = noteHandlers(new NotesClient({ baseUrl, apiKey, fetch }), {
    changed: ({ note }) => void changed.push(note.note_id),
    removed: () => undefined,
  })
  const create = (options: object) => {
    createReceivers({ secretOf: () => SECRET, logger, ...options } as unknown as ReceiversOptions)
    return createReceiver({ secret: SECRET, clock, logger, ...options } as unknown as ReceiverOptions)
  }
  const [note] = service.owner.notes()
  const data = { note_id: note?.note_id, revision: note?.revision }
  const at = new Date(clock.now()).toISOString()
  const event = { event_id: 'event_1', event_type: 'note.updated', occurred_at: at, data }
  return { create, handlers, changed, event: event as never, service }
}

describe('a receiver with a part of noteHandlers', () => {
  it.each<[string, (handlers: ReturnType<typeof noteHandlers>) => object]>([
    ['no prepare', ({ on, revisionGate }) => ({ on, revisionGate })],
    ['another prepare', (handlers) => ({ ...handlers, prepare: () => undefined })],
    ['no revisionGate', ({ on, prepare }) => ({ on, prepare })],
    ['another revisionGate', (handlers) => ({ ...handlers, revisionGate: 'strict' })],
    ['no handlers', (handlers) => ({ ...handlers, on: {} })],
    ['other handlers', (handlers) => ({ ...handlers, on: { 'endpoint.test': () => undefined } })],
    ['a missing handler', (handlers) => ({ ...handlers, on: { ...handlers.on, 'note.deleted': undefined } })],
    [
      'a handler that gets no event',
      (handlers) => ({ ...handlers, on: { ...handlers.on, 'note.ended': () => undefined } }),
    ],
    [
      'an asynchronous handler that gets no event',
      (handlers) => ({ ...handlers, on: { ...handlers.on, 'note.ended': async () => undefined } }),
    ],
    [
      'a handler that gets no context',
      (handlers) => ({
        ...handlers,
        on: { ...handlers.on, 'note.updated': (event: object) => void JSON.stringify(event) },
      }),
    ],
    [
      'an asynchronous function that gets no context',
      (handlers) => ({ ...handlers, on: { ...handlers.on, 'note.ended': async function seen(_event: object) {} } }),
    ],
    ['a prepare that gets no context', (handlers) => ({ ...handlers, prepare: async (_event: unknown) => undefined })],
    [
      'a method that gets no event',
      (handlers) => ({ ...handlers, on: { ...handlers.on, 'note.ended': function applied() {} } }),
    ],
  ])('is not created with %s', async (_what, change) => {
    const { create, handlers } = await setUp()
    expect(() => create(change(handlers))).toThrow(OptionError)
  })

  it.each<[string, (handlers: ReturnType<typeof noteHandlers>) => object]>([
    ['nothing else', (handlers) => handlers],
    [
      'a handler of another kind',
      (handlers) => ({ ...handlers, on: { ...handlers.on, 'endpoint.test': () => undefined } }),
    ],
    [
      'a handler that calls the one of noteHandlers',
      (handlers) => ({
        ...handlers,
        on: {
          ...handlers.on,
          'note.updated': async (...given: Parameters<(typeof handlers.on)['note.updated']>) => {
            await handlers.on['note.updated'](...given)
          },
        },
      }),
    ],
    [
      'a handler that passes on copies',
      ({ on, ...rest }) => ({
        ...rest,
        on: {
          ...on,
          'note.updated': (event: never, context: never) =>
            on['note.updated']({ ...(event as object) } as never, context),
        },
      }),
    ],
    [
      'a prepare that calls the one of noteHandlers',
      (handlers) => ({ ...handlers, prepare: (event: never, context: never) => handlers.prepare(event, context) }),
    ],
  ])('applies events with %s', async (_what, change) => {
    const { create, handlers, changed, event } = await setUp()
    expect(await create(change(handlers)).process(event)).toMatchObject({ status: 'applied' })
    expect(changed).toHaveLength(1)
  })

  it.each<[string, (handlers: ReturnType<typeof noteHandlers>) => object]>([
    [
      'a handler that does not call the one of noteHandlers',
      (handlers) => ({
        ...handlers,
        on: { ...handlers.on, 'note.updated': (_event: unknown, _context: unknown) => undefined },
      }),
    ],
    [
      'an asynchronous handler that does not call it',
      (handlers) => ({
        ...handlers,
        on: { ...handlers.on, 'note.updated': async (..._given: unknown[]) => undefined },
      }),
    ],
    [
      'a prepare that does not call it',
      (handlers) => ({ ...handlers, prepare: (..._given: unknown[]) => ({ ready: true }) }),
    ],
    [
      'a prepare that returns nothing',
      (handlers) => ({ ...handlers, prepare: async (_event: unknown, _context: unknown) => undefined }),
    ],
  ])('fails an event with %s', async (_what, change) => {
    const { create, handlers, changed, event } = await setUp()
    const outcome = await create(change(handlers)).process(event)
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'option_invalid' } })
    expect(changed).toEqual([])
  })

  it('skips the events that a wrapper leaves out after its first call, and logs them', async () => {
    const { create, handlers, changed, event, service } = await setUp()
    const warned: string[] = []
    let isOn = true
    const wrapper: (typeof handlers.on)['note.updated'] = (...given) =>
      isOn ? handlers.on['note.updated'](...given) : undefined
    const receiver = create({
      ...handlers,
      on: { ...handlers.on, 'note.updated': wrapper },
      logger: { ...logger, warn: (line: string) => warned.push(line) },
    })
    expect(await receiver.process(event)).toMatchObject({ status: 'applied' })
    isOn = false
    service.owner.notes()[0]?.edit({ title: 'Another title' })
    const { note_id, revision } = service.owner.notes()[0] ?? {}
    const next = { ...(event as object), event_id: 'event_2', data: { note_id, revision } }
    expect(await receiver.process(next as never)).toMatchObject({ status: 'applied' })
    expect(changed).toHaveLength(1)
    expect(warned).toEqual([expect.stringContaining('note.updated did not call the one of noteHandlers')])
  })

  it('tells events of two integrations with the same id apart', async () => {
    const { handlers, event, service } = await setUp()
    const warned: string[] = []
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const wrapper: (typeof handlers.on)['note.updated'] = async (given, context) => {
      if (context.integration === 'slow') return await released
      await handlers.on['note.updated'](given, context)
      release()
    }
    const receivers = createReceivers({
      secretOf: () => SECRET,
      clock: service.clock,
      logger: { ...logger, warn: (line: string) => void warned.push(line) },
      ...handlers,
      on: { ...handlers.on, 'note.updated': wrapper },
    })
    const outcomes = await Promise.all(['slow', 'quick'].map((id) => receivers.process(event, { integration: id })))
    expect(outcomes).toMatchObject([{ status: 'applied' }, { status: 'applied' }])
    expect(warned).toHaveLength(1)
  })

  it('rolls back the transaction of a handler that does not call its original', async () => {
    const { create, handlers, event } = await setUp()
    const database = new DatabaseSync(':memory:')
    database.exec('CREATE TABLE seen (event_id TEXT)')
    const store = sqliteTransactions(database)
    await store.migrate()
    const on = { ...handlers.on, 'note.updated': (given: WebhookEvent, _context: unknown) => record(given) }
    const record = ({ event_id }: WebhookEvent) => void database.prepare('INSERT INTO seen VALUES (?)').run(event_id)
    expect(await create({ ...handlers, on, store }).process(event)).toMatchObject({ status: 'failed' })
    expect(database.prepare('SELECT * FROM seen').all()).toEqual([])
    const wrapper: (typeof handlers.on)['note.updated'] = (given, context) => {
      record(given)
      return handlers.on['note.updated'](given, context)
    }
    const wrapped = { ...handlers.on, 'note.updated': wrapper }
    expect(await create({ ...handlers, on: wrapped, store }).process(event)).toMatchObject({ status: 'applied' })
    expect(database.prepare('SELECT * FROM seen').all()).toHaveLength(1)
  })
})
