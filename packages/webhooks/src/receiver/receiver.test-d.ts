import { createServer } from 'node:http'
import type { NoteDeletedEvent, NoteEndedEvent, NoteUpdatedEvent, UnknownEvent } from '@notewire/protocol'
import express from 'express'
import { describe, expectTypeOf, it } from 'vitest'
import { expressHandler } from '../adapters/express.ts'
import { nodeHandler } from '../adapters/node.ts'
import { createReceiver, memoryStore, type ProcessOutcome, type ReceiverStore } from '../index.ts'

const receiver = createReceiver({ secret: undefined, on: {} })

describe('handlers', () => {
  it('are given the event of their kind', () => {
    createReceiver({
      secret: 'whsec_',
      on: {
        'note.ended': (event, context) => {
          expectTypeOf(event).toEqualTypeOf<NoteEndedEvent>()
          expectTypeOf(event.data.recording_session_id).toEqualTypeOf<string>()
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

  it('may return anything, a promise of anything, or nothing', () => {
    createReceiver({ secret: [], on: { 'note.ended': async () => 7, 'note.updated': () => undefined } })
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

describe('outcomes', () => {
  it('narrow by their status', () => {
    const outcome = {} as ProcessOutcome
    if (outcome.status === 'stale') expectTypeOf(outcome.appliedRevision).toEqualTypeOf<number>()
    if (outcome.status === 'failed') expectTypeOf(outcome.error).toEqualTypeOf<unknown>()
    // @ts-expect-error only a failure has an error
    if (outcome.status === 'applied') outcome.error
  })
})

it('the store in memory is a store', () => {
  expectTypeOf(memoryStore()).toEqualTypeOf<ReceiverStore>()
})
