import { Pool, type PoolClient, type PoolConfig } from 'pg'
import { type Postgres, startPostgres } from './postgres.ts'

export type { PoolClient }

/** A server with any number of empty databases, and pools that end before the server. */
export interface TestDatabases {
  readonly server: Postgres
  emptyDatabase(): Promise<string>
  poolOf(url: string, options?: PoolConfig): Pool
  migratedPool(options?: PoolConfig): Promise<Pool>
  /** Everything that must end before the server. */
  readonly cleanUp: AsyncDisposableStack
}

/**
 * Starts a server. End it with `cleanUp.disposeAsync()`.
 *
 * @param migrate  creates the tables of the store under test, for `migratedPool`
 */
export async function startDatabases(
  migrate: (pool: Pool) => Promise<void>,
  options: { readonly durable?: boolean } = {},
): Promise<TestDatabases> {
  const cleanUp = new AsyncDisposableStack()
  const server = cleanUp.use(await startPostgres(options))
  let databases = 0

  const emptyDatabase = () => {
    databases += 1
    return server.createDatabase(`database_${databases}`)
  }
  const poolOf = (url: string, poolOptions: PoolConfig = {}) => {
    const pool = openPool(url, poolOptions)
    cleanUp.defer(() => pool.end())
    return pool
  }
  const migratedPool = async (poolOptions: PoolConfig = {}) => {
    const pool = poolOf(await emptyDatabase(), poolOptions)
    await migrate(pool)
    return pool
  }
  return { server, emptyDatabase, poolOf, migratedPool, cleanUp }
}

/** A pool of `pg` that ignores broken connections, so that it can outlive its server. */
export function openPool(connectionString: string, options: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString, ...options })
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('error', () => undefined)
  return pool
}
