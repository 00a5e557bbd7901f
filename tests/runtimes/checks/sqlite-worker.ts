import { sqliteMirror } from '@notewire/mirror/sqlite'
import {
  type D1Binding,
  type DurableObjectSqlStorage,
  d1,
  durableObjectSqlite,
  durableObjectTransactions,
  sqliteStore,
} from '@notewire/webhooks/sqlite'
import { runMirrorStoreChecks } from './sqlite-mirror.ts'
import { processInTransactions, runStoreChecks } from './sqlite-store.ts'

interface Bindings {
  readonly DB: D1Binding
  readonly OBJECT: { getByName(name: string): { fetch(request: Request): Promise<Response> } }
}

/** A Worker that holds stores of receivers and mirrors in D1 and in a Durable Object against all that stores must do. */
export default {
  async fetch(request: Request, { DB, OBJECT }: Bindings): Promise<Response> {
    if (new URL(request.url).pathname === '/durable-object') return OBJECT.getByName('one').fetch(request)
    const store = sqliteStore(d1(DB))
    await store.migrate()
    return Response.json({
      checks: await runStoreChecks(store),
      mirror: await runMirrorStoreChecks(sqliteMirror(d1(DB))),
    })
  },
}

/** A Durable Object with SQLite. */
export class StoreObject {
  readonly #storage: DurableObjectSqlStorage

  constructor({ storage }: { readonly storage: DurableObjectSqlStorage }) {
    this.#storage = storage
  }

  async fetch(): Promise<Response> {
    const storage = this.#storage
    const store = sqliteStore(durableObjectSqlite(storage))
    await store.migrate()
    storage.sql.exec('CREATE TABLE effects (revision INTEGER)')
    return Response.json({
      checks: await runStoreChecks(store),
      exactlyOnce: await processInTransactions(
        durableObjectTransactions(storage),
        ({ sql }, revision) => sql.exec('INSERT INTO effects VALUES (?)', -revision),
        () => storage.sql.exec('SELECT revision FROM effects WHERE revision < 0').toArray(),
      ),
      mirror: await runMirrorStoreChecks(sqliteMirror(durableObjectSqlite(storage))),
    })
  }
}
