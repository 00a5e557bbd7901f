import { DatabaseSync } from 'node:sqlite'
import { type CurrentNote, NotesClient, noteHandlers } from '@notewire/client'
import type { EndpointTestEvent, NoteUpdatedEvent, WebhookEvent } from '@notewire/protocol'
import { createReceiver, createReceivers, type HandlerContext, type TransactionContext } from '@notewire/webhooks'
import { postgresTransactions } from '@notewire/webhooks/postgres'
import { sqliteTransactions } from '@notewire/webhooks/sqlite'
import { describe, expectTypeOf, it } from 'vitest'
import type { PoolClient, TestDatabases } from './servers/test-databases.ts'

declare const databases: TestDatabases

const secret = () => process.env['NOTES_SIGNING_SECRET']
const copy = { changed: (_current: CurrentNote) => undefined, removed: () => undefined }
const handlers = noteHandlers(new NotesClient(), copy)

describe('the handlers of noteHandlers', () => {
  it('can be extended by a handler of another kind', () => {
    createReceiver({
      secret,
      ...handlers,
      on: {
        ...handlers.on,
        'endpoint.test': (event) => {
          expectTypeOf(event).toEqualTypeOf<EndpointTestEvent>()
        },
      },
    })
    createReceivers({ secretOf: secret, ...handlers, on: { ...handlers.on, 'endpoint.test': () => undefined } })
  })

  it('can be wrapped, with typed arguments', () => {
    createReceiver({
      secret,
      ...handlers,
      on: {
        ...handlers.on,
        'note.updated': async (event, context) => {
          expectTypeOf(event).toEqualTypeOf<NoteUpdatedEvent>()
          await handlers.on['note.updated'](event, context)
        },
        'note.deleted': (...given) => handlers.on['note.deleted'](...given),
      },
    })
  })

  it('can be wrapped, with prepare', () => {
    createReceiver({
      secret,
      ...handlers,
      prepare: async (event, context) => {
        expectTypeOf(event).toEqualTypeOf<WebhookEvent>()
        return await handlers.prepare(event, context)
      },
    })
  })

  it('can be wrapped in transactions of SQLite and PostgreSQL', () => {
    const withSqlite = noteHandlers<HandlerContext>(new NotesClient(), copy)
    createReceiver({
      secret,
      store: sqliteTransactions(new DatabaseSync(':memory:')),
      ...withSqlite,
      on: { ...withSqlite.on, 'note.ended': (event, context) => withSqlite.on['note.ended'](event, context) },
    })
    const withPostgres = noteHandlers<TransactionContext<PoolClient>>(new NotesClient(), {
      changed: ({ note }, { transaction }) => transaction.query('INSERT INTO copies VALUES ($1)', [note.note_id]),
      removed: ({ noteId }, { transaction }) => transaction.query('DELETE FROM copies WHERE note_id = $1', [noteId]),
    })
    createReceiver({
      secret,
      store: postgresTransactions(databases.poolOf('postgres://localhost/notes')),
      ...withPostgres,
      on: {
        ...withPostgres.on,
        'note.updated': async (event, context) => {
          await context.transaction.query('INSERT INTO seen VALUES ($1)', [event.event_id])
          await withPostgres.on['note.updated'](event, context)
        },
        'endpoint.test': async (event, { transaction }) =>
          void (await transaction.query('INSERT INTO seen VALUES ($1)', [event.event_id])),
      },
    })
  })
})
