import { type MirrorStore, memoryMirror } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import { Pool } from 'pg'

/** What a mirror is kept in, and where: nowhere, at a path or at a URL. */
export interface StorePlace {
  readonly kind: 'memory' | 'sqlite' | 'postgres'
  readonly at: string
}

/** An open store, which whoever opened it closes. */
export interface OpenStore extends AsyncDisposable {
  readonly store: MirrorStore
}

/** Opens a store, and makes its tables. */
export async function openStore({ kind, at }: StorePlace): Promise<OpenStore> {
  const open = OPEN[kind](at)
  await open.store.migrate()
  return open
}

const OPEN: Readonly<Record<StorePlace['kind'], (at: string) => OpenStore>> = {
  memory: () => closedBy(memoryMirror(), () => undefined),
  sqlite: (path) => {
    const store = sqliteMirror(path)
    return closedBy(store, () => store.close?.())
  },
  postgres: (url) => {
    const pool = new Pool({ connectionString: url })
    // Connections are still being closed when `end` resolves, and when the server ends.
    pool.on('error', () => undefined)
    return closedBy(postgresMirror(pool), () => pool.end())
  },
}

function closedBy(store: MirrorStore, close: () => unknown): OpenStore {
  return {
    store,
    [Symbol.asyncDispose]: async () => {
      await close()
    },
  }
}
