import { createServer } from 'node:http'
import type { NoteDeletedEvent, NoteEndedEvent, NoteUpdatedEvent, UnknownEvent, WebhookEvent } from '@notewire/protocol'
import express from 'express'
import { describe, expectTypeOf, it } from 'vitest'
import { expressHandler } from '../adapters/express.ts'
import { routeHandler } from '../adapters/next.ts'
import { nodeHandler } from '../adapters/node.ts'
import {
  createReceiver,
  createReceivers,
  type EventHandlers,
  type EventSinkOptions,
  memoryStore,
  type ProcessOutcome,
  type Receiver,
  type ReceiverOptions,
  type Receivers,
  type TransactionContext,
} from '../index.ts'
import type { ReceiverStore, TransactionStore } from '../store.ts'

const receiver = createReceiver({ secret: () => undefined, on: {} })

describe('handlers', () => {
  it('are given the event of their kind', () => {
    createReceiver({
      secret: 'whsec_',
      on: {
        'note.ended': (event, context) => {
          expectTypeOf(event).toEqualTypeOf<NoteEndedEvent>()
          expectTypeOf(event.data.recording_session_id).toEqualTypeOf<string | null | undefined>()
          expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>()
          expectTypeOf(context.deadlineAt).toEqualTypeOf<number | undefined>()
        },
        'note.updated': (event) => expectTypeOf(event).toEqualTypeOf<NoteUpdatedEvent>(),
        'note.deleted': async (event) => expectTypeOf(event).toEqualTypeOf<NoteDeletedEvent>(),
      },
      onUnknown: (event) => expectTypeOf(event).toEqualTypeOf<UnknownEvent>(),
    })
  })

  it('are refused for kinds that do not exist', () => {
    // @ts-expect-error no such kind
    createReceiver({ secret: 'whsec_', on: { 'note.finished': () => undefined } })
  })

  it('may return any value but a response, a promise of it, or nothing', () => {
    createReceiver({ secret: 'whsec_', on: { 'note.ended': async () => 7, 'note.updated': () => undefined } })
    const revisions = new Map<string, number>()
    createReceiver({ secret: 'whsec_', on: { 'note.deleted': ({ data }) => revisions.delete(data.note_id) } })
    createReceiver({ secret: 'whsec_', on: { 'note.deleted': async ({ data }) => revisions.get(data.note_id) } })
    const insert = async () => ({ rowCount: 1, rows: [{ note_id: 'note_1' }] })
    createReceiver({
      secret: 'whsec_',
      on: { 'note.ended': insert, 'note.updated': () => Promise.all([insert(), insert()]) },
    })
    const query = Promise.resolve([{ note_id: 'note_1' }]) as PromiseLike<object[]>
    createReceiver({ secret: 'whsec_', on: { 'note.ended': () => query }, onUnknown: () => null })
  })

  it('may not return a response', () => {
    // @ts-expect-error a response does not reach the service
    createReceiver({ secret: 'whsec_', on: { 'note.ended': () => new Response('no', { status: 500 }) } })
    // @ts-expect-error nor a promise of one
    createReceiver({ secret: 'whsec_', on: { 'note.ended': async () => Response.json({}) } })
    // @ts-expect-error nor one of two results
    createReceiver({ secret: 'whsec_', on: { 'note.ended': () => (Date.now() > 1 ? Response.error() : false) } })
    // @ts-expect-error nor for an unknown kind
    createReceiver({ secret: 'whsec_', on: {}, onUnknown: async () => fetch('https://example.com') })
    // @ts-expect-error nor from a sink
    createReceiver({ secret: 'whsec_', sink: async () => new Response() })
  })
})

describe('the secret', () => {
  it('is a string, a list, a function, or not there yet, but never forgotten', () => {
    createReceiver({ secret: process.env['NOTES_SIGNING_SECRET'], on: {} })
    createReceiver({ secret: ['whsec_a', 'whsec_b'], on: {} })
    createReceiver({ secret: () => undefined, on: {} })
    createReceiver({ secret: async () => ['whsec_a'] as const, on: {} })
    // @ts-expect-error the secret is required
    createReceiver({ on: {} })
  })
})

describe('the receivers of many integrations', () => {
  const signingSecretOf = async (integration: string): Promise<string | null> => `whsec_${integration}`
  const many = createReceivers({ secretOf: signingSecretOf, on: {} })

  it('are made by a function of the integration', () => {
    expectTypeOf(many).toEqualTypeOf<Receivers>()
    expectTypeOf(createReceivers({ secretOf: (id) => [id], sink: async () => undefined })).toEqualTypeOf<Receivers>()
    // @ts-expect-error the secret of one integration takes no parameter
    createReceiver({ secret: (integration: string) => integration, on: {} })
    // @ts-expect-error each integration has a secret of its own
    createReceivers({ secretOf: 'whsec_', on: {} })
    // @ts-expect-error each request names its integration
    createReceivers({ secretOf: signingSecretOf, integration: 'acme', on: {} })
    // @ts-expect-error each integration has a path of its own
    createReceivers({ secretOf: signingSecretOf, path: '/webhooks/notes', on: {} })
  })

  it('are given a string, and return secrets, nothing, or a promise of either', () => {
    createReceivers({
      secretOf: (integration) => {
        expectTypeOf(integration).toEqualTypeOf<string>()
        return new Map<string, string[]>().get(integration)
      },
      on: {},
    })
    // @ts-expect-error no secret is a number
    createReceivers({ secretOf: (integration: string) => integration.length, on: {} })
    // @ts-expect-error ids are text
    createReceivers({ secretOf: (integration: number) => String(integration), on: {} })
  })

  it('leave handlers their types', () => {
    createReceivers({
      secretOf: (integration) => integration,
      store: {} as TransactionStore<{ readonly connection: true }>,
      on: {
        'note.ended': (event, context) => {
          expectTypeOf(event).toEqualTypeOf<NoteEndedEvent>()
          expectTypeOf(context.integration).toEqualTypeOf<string>()
          expectTypeOf(context.transaction).toEqualTypeOf<{ readonly connection: true }>()
        },
      },
    })
  })

  it('have every request, event and forgetting say whose it is', () => {
    // @ts-expect-error of which integration?
    many.fetch
    // @ts-expect-error of which integration?
    many.integration.length
    // @ts-expect-error of which integration?
    void many.process({} as WebhookEvent)
    // @ts-expect-error of which integration?
    void many.forget('evt_1')
    expectTypeOf(many.for('acme').fetch).toEqualTypeOf<Receiver['fetch']>()
    expectTypeOf(many.for).parameter(0).toEqualTypeOf<string | undefined>()
    // @ts-expect-error a receiver of one has one
    receiver.for('acme')
  })

  it('are known to adapters', () => {
    express().post('/webhooks/notes/:integration', expressHandler(many))
    createServer(nodeHandler(many, { integrationOf: ({ url }) => url?.slice(1) }))
    createServer(nodeHandler(many.for('acme')))
    // @ts-expect-error it cannot know where the id is
    nodeHandler(many)
    expectTypeOf(routeHandler(many)).toExtend<
      (request: Request, context: { params: Promise<{ integration: string }> }) => Promise<Response>
    >()
  })
})

describe('the options', () => {
  it('contain handlers or a sink', () => {
    // @ts-expect-error neither handlers nor a sink
    createReceiver({ secret: 'whsec_' })
    // @ts-expect-error nothing
    createReceiver({})
  })

  it('may be named by their types', () => {
    const handling: ReceiverOptions = { secret: () => 'whsec_', on: {} }
    expectTypeOf(createReceiver(handling)).toEqualTypeOf<Receiver>()
    const sinking: EventSinkOptions = { secret: ['whsec_'], sink: async () => undefined }
    expectTypeOf(createReceiver(sinking)).toEqualTypeOf<Receiver>()
  })

  it('take the type of a transaction from a store whose type is a parameter', () => {
    function receiverOver<Transaction>(
      store: TransactionStore<Transaction>,
      on: EventHandlers<TransactionContext<Transaction>>,
    ): Receiver {
      return createReceiver({ secret: 'whsec_', store, on })
    }
    expectTypeOf(receiverOver).returns.toEqualTypeOf<Receiver>()
  })
})

describe('hooks', () => {
  it('are told the integration at the end', () => {
    createReceivers({
      secretOf: (integration) => integration,
      on: {},
      hooks: {
        onOutcome: (_outcome, _timing, { integration }) => expectTypeOf(integration).toEqualTypeOf<string>(),
        onRefused: (_reason, _detail, { integration }) => expectTypeOf(integration).toEqualTypeOf<string | undefined>(),
        onErrorAnswer: (_answer, { integration }) => expectTypeOf(integration).toEqualTypeOf<string | undefined>(),
      },
    })
  })
})

describe('adapters', () => {
  it('fit the frameworks that they are for', () => {
    createServer(nodeHandler(receiver))
    express().post('/webhooks/notes', expressHandler(receiver))
    express().use('/webhooks', expressHandler(receiver))
    expectTypeOf(receiver.fetch).toExtend<
      (request: Request, context: { params: Promise<object> }) => Promise<Response>
    >()
  })
})

describe('a sink', () => {
  it('is given every event with the integration and the deadline', () => {
    const made = createReceiver({
      secret: 'whsec_',
      sink: async (event, { integration, deadlineAt }) => {
        expectTypeOf(event).toEqualTypeOf<WebhookEvent>()
        expectTypeOf(integration).toEqualTypeOf<string>()
        expectTypeOf(deadlineAt).toEqualTypeOf<number>()
      },
    })
    expectTypeOf(made).toEqualTypeOf<Receiver>()
  })

  it('excludes handlers, store, queue, revision gate and deduplication', () => {
    const sink = async () => undefined
    // @ts-expect-error a sink takes the place of handlers
    createReceiver({ secret: 'whsec_', sink, on: {} })
    // @ts-expect-error a sink takes the place of handlers
    createReceiver({ secret: 'whsec_', sink, onUnknown: () => undefined })
    // @ts-expect-error a sink needs no store
    createReceiver({ secret: 'whsec_', sink, store: memoryStore() })
    // @ts-expect-error a sink takes the place of a queue
    createReceiver({ secret: 'whsec_', sink, queue: sink })
    // @ts-expect-error a sink gets stale events too
    createReceiver({ secret: 'whsec_', sink, revisionGate: 'off' })
    // @ts-expect-error a sink gets repeated events too
    createReceiver({ secret: 'whsec_', sink, dedupWindowMs: 259_200_000 })
    // @ts-expect-error a sink has 8 s
    createReceiver({ secret: 'whsec_', sink, handlerTimeoutMs: 1_000 })
  })
})

describe('outcomes', () => {
  it('narrow by their status', () => {
    const outcome = {} as ProcessOutcome
    if (outcome.status === 'stale') expectTypeOf(outcome.appliedRevision).toEqualTypeOf<number | undefined>()
    if (outcome.status === 'failed') expectTypeOf(outcome.error).toEqualTypeOf<unknown>()
    // @ts-expect-error only a failure has an error
    if (outcome.status === 'applied') outcome.error
  })
})

it('the store in memory is a store', () => {
  expectTypeOf(memoryStore()).toEqualTypeOf<ReceiverStore>()
})
