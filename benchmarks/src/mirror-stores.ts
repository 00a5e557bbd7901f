import type { MirrorStore } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import { Pool } from 'pg'

/** The kind of a mirror's store, and its path or URL if it has one. */
export interface StorePlace {
  readonly kind: 'memory' | 'sqlite' | 'postgres'
  readonly at: string
}

/** An open store. The caller closes it. */
export interface OpenStore extends AsyncDisposable {
  readonly store: MirrorStore
}

/** Opens a store and creates its tables. */
export async function openStore({ kind, at }: StorePlace): Promise<OpenStore> {
  const open = OPEN[kind](at)
  await open.store.migrate()
  return open
}

const OPEN: Readonly<Record<StorePlace['kind'], (at: string) => OpenStore>> = {
  memory: () => inSqlite(':memory:'),
  sqlite: inSqlite,
  postgres: (url) => {
    const pool = new Pool({ connectionString: url })
    // Connections may still be closing when `end` resolves, and then fail when the server ends.
    pool.on('error', () => undefined)
    return closedBy(postgresMirror(pool), () => pool.end())
  },
}

function inSqlite(path: string): OpenStore {
  const store = sqliteMirror(path)
  return closedBy(store, () => store.close?.())
}

function closedBy(store: MirrorStore, close: () => unknown): OpenStore {
  return {
    store,
    [Symbol.asyncDispose]: async () => {
      await close()
    },
  }
}
