import type { NotesClient } from '@notewire/client'
import type { PostgresTransaction } from '@notewire/storage'
import type { Receiver } from '@notewire/webhooks'
import { type DurableObjectSqlStorage, d1, durableObjectSqlite, type SqliteConnection } from '@notewire/webhooks/sqlite'
import { describe, expectTypeOf, it } from 'vitest'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import {
  type ConsumerChange,
  createMirror,
  type MirrorChange,
  type MirroredNote,
  type MirrorStore,
  type NotePart,
  openMirror,
} from './index.ts'
import { postgresMirror } from './stores/postgres/index.ts'
import { sqliteMirror } from './stores/sqlite/index.ts'

declare const client: NotesClient
declare const store: MirrorStore

describe('a mirror', () => {
  const mirror = createMirror({ client, store })

  it('needs a client and a store, and keeps parts that exist', () => {
    // @ts-expect-error without a store
    createMirror({ client })
    // @ts-expect-error no such part
    createMirror({ client, store, keep: ['title'] })
    expectTypeOf(createMirror({ client, store, keep: [], integration: 'team' })).toEqualTypeOf(mirror)
  })

  it('shows notes as they are typed by the protocol', async () => {
    expectTypeOf(await mirror.get('n1')).toEqualTypeOf<MirroredNote | undefined>()
    for await (const { note, summary } of mirror.list()) {
      expectTypeOf(note.revision).toEqualTypeOf<number>()
      expectTypeOf(summary?.markdown).toEqualTypeOf<string | null | undefined>()
    }
  })

  it('makes a receiver that every adapter takes', () => {
    expectTypeOf(mirror.receiver({ secret: 'whsec_x' })).toEqualTypeOf<Receiver>()
    // @ts-expect-error the mirror has handlers of its own
    mirror.receiver({ secret: 'whsec_x', on: {} })
  })

  it('tells changes whose kinds can be switched over', async () => {
    for await (const change of mirror.changes({ after: null })) {
      expectTypeOf(change).toEqualTypeOf<MirrorChange>()
      expectTypeOf(change.kind).toEqualTypeOf<'added' | 'content' | 'restored' | 'hidden' | 'removed'>()
    }
  })

  it('passes changes that can be told apart to a consumer', () => {
    void mirror.consumeDue({
      name: 'index',
      apply: (changes) => {
        expectTypeOf(changes).toEqualTypeOf<readonly ConsumerChange[]>()
        for (const change of changes) {
          if (change.kind === 'removed') continue
          expectTypeOf(change.parts).toEqualTypeOf<readonly NotePart[]>()
          expectTypeOf(change.hashes.title).toEqualTypeOf<string | null>()
        }
      },
    })
    // @ts-expect-error nothing would ever end it
    void mirror.consume({ name: 'index', apply: () => undefined })
    // @ts-expect-error without a name
    void mirror.consumeDue({ apply: () => undefined })
  })

  it('has consumers commit in a transaction of its store', () => {
    const name = 'index'
    void createMirror({ client, store: postgresMirror({ query: async () => ({ rows: [] }) }) }).consumeDue({
      name,
      apply: (_, { commit }) => expectTypeOf(commit).parameter(0).toEqualTypeOf<PostgresTransaction>(),
    })
    void openMirror({ store: sqliteMirror('notes.db') }).consumeDue({
      name,
      apply: (_, { commit }) => expectTypeOf(commit).parameter(0).toEqualTypeOf<SqliteConnection>(),
    })
    void openMirror({ store: sqliteMirror(durableObjectSqlite({} as DurableObjectSqlStorage)) }).consumeDue({
      name,
      apply: (_, { commit }) => expectTypeOf(commit).parameter(0).toEqualTypeOf<DurableObjectSqlStorage>(),
    })
    for (const without of [sqliteMirror(d1({} as never)), memoryMirror()]) {
      void openMirror({ store: without }).consumeDue({
        name,
        apply: (_, { commit }) => expectTypeOf(commit).parameter(0).toEqualTypeOf<never>(),
      })
    }
  })

  it('runs until a signal, and not without one', () => {
    // @ts-expect-error nothing would ever end it
    void mirror.run({})
    expectTypeOf(mirror.run).parameter(0).toEqualTypeOf<{ readonly signal: AbortSignal }>()
  })
})
