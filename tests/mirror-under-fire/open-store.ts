import type { MirrorStore } from '@notewire/mirror'
import type { WorkerSettings } from './worker-settings.ts'

/** Opens the store of a mirror, and what closes it. */
export async function openStore({ engine, place }: Pick<WorkerSettings, 'engine' | 'place'>): Promise<OpenStore> {
  if (engine === 'sqlite') {
    const { sqliteMirror } = await import('@notewire/mirror/sqlite')
    const store = sqliteMirror(place)
    return { store, close: async () => await store.close?.() }
  }
  const [{ postgresMirror }, { openPool }] = await Promise.all([
    import('@notewire/mirror/postgres'),
    import('../servers/test-databases.ts'),
  ])
  const pool = openPool(place, { max: 4 })
  return { store: postgresMirror(pool), close: () => pool.end() }
}

export interface OpenStore {
  readonly store: MirrorStore
  close(): Promise<void>
}
