import { postgresMirror } from '@notewire/mirror/postgres'
import { TITLES_TABLES } from '../many-mirrors/titles-table.ts'
import { openPool, type Postgres } from '../servers/index.ts'
import { APPLICATION_TABLES } from './application-settings.ts'

type Pool = ReturnType<typeof openPool>

/** The two databases of the application in one month, of which that of the mirror can be restored. */
export class Databases {
  readonly mirrorUrl: string
  readonly applicationUrl: string
  readonly #admin: Pool
  readonly #name: string
  #backups = 0

  private constructor(mirrorUrl: string, applicationUrl: string, admin: Pool) {
    this.mirrorUrl = mirrorUrl
    this.applicationUrl = applicationUrl
    this.#admin = admin
    this.#name = new URL(mirrorUrl).pathname.slice(1)
  }

  static async create(server: Postgres, month: string): Promise<Databases> {
    const [mirrorUrl, applicationUrl] = [
      await server.createDatabase(`mirror_${month}`),
      await server.createDatabase(`application_${month}`),
    ]
    const databases = new Databases(mirrorUrl, applicationUrl, openPool(server.url, { max: 1 }))
    await databases.ofMirror(async (pool) => {
      await postgresMirror(pool).migrate()
      await pool.query(TITLES_TABLES)
    })
    await databases.ofApplication((pool) => pool.query(APPLICATION_TABLES))
    return databases
  }

  /** Copies the database of the mirror aside. @returns what puts the copy back; no process may be connected then */
  async backUp(): Promise<() => Promise<void>> {
    this.#backups += 1
    const backup = `${this.#name}_backup_${this.#backups}`
    await this.#disconnectAll()
    await this.#admin.query(`CREATE DATABASE ${backup} TEMPLATE ${this.#name}`)
    return async () => {
      await this.#disconnectAll()
      await this.#admin.query(`DROP DATABASE ${this.#name} WITH (FORCE)`)
      await this.#admin.query(`ALTER DATABASE ${backup} RENAME TO ${this.#name}`)
    }
  }

  async ofMirror<Found>(read: (pool: Pool) => Promise<Found>): Promise<Found> {
    return await withPool(this.mirrorUrl, read)
  }

  async ofApplication<Found>(read: (pool: Pool) => Promise<Found>): Promise<Found> {
    return await withPool(this.applicationUrl, read)
  }

  async close(): Promise<void> {
    await this.#admin.end()
  }

  async #disconnectAll(): Promise<void> {
    const terminate = 'SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1'
    await this.#admin.query(terminate, [this.#name])
  }
}

/** Leaves no connection behind, which would prevent a backup. */
async function withPool<Found>(url: string, read: (pool: Pool) => Promise<Found>): Promise<Found> {
  const pool = openPool(url, { max: 2 })
  try {
    return await read(pool)
  } finally {
    await pool.end()
  }
}
