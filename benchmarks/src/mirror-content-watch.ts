import { DatabaseSync } from 'node:sqlite'
import { Pool } from 'pg'
import type { StorePlace } from './mirror-stores.ts'

/** Tells how much content was written since it was made, by whatever process. */
export interface ContentWatch extends AsyncDisposable {
  /** Bytes of rows that were written, and one for each row that was deleted. */
  bytes(): Promise<number>
}

/** Watches the table of content by triggers of the database's own. */
export async function watchContent({ kind, at }: StorePlace): Promise<ContentWatch> {
  switch (kind) {
    case 'memory':
      throw new Error('a mirror in memory has no tables to watch')
    case 'sqlite':
      return watchSqlite(at)
    case 'postgres':
      return await watchPostgres(at)
  }
}

function watchSqlite(path: string): ContentWatch {
  const database = new DatabaseSync(path)
  const columns = database.prepare("SELECT name FROM pragma_table_info('notewire_mirror_content')").all()
  const row = columns.map(({ name }) => `coalesce(length(CAST(new.${name} AS BLOB)), 0)`).join(' + ')
  const trigger = (event: string, bytes: string) =>
    `CREATE TRIGGER benchmark_${event} AFTER ${event} ON notewire_mirror_content BEGIN
      INSERT INTO benchmark_writes VALUES (${bytes});
    END;`
  database.exec(`CREATE TABLE benchmark_writes (bytes INTEGER NOT NULL);
    ${trigger('INSERT', row)} ${trigger('UPDATE', row)} ${trigger('DELETE', '1')}`)
  const sum = database.prepare('SELECT coalesce(sum(bytes), 0) AS bytes FROM benchmark_writes')
  return {
    bytes: async () => Number(sum.get()?.['bytes']),
    [Symbol.asyncDispose]: async () => database.close(),
  }
}

async function watchPostgres(url: string): Promise<ContentWatch> {
  const pool = new Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  await pool.query(`CREATE TABLE benchmark_writes (bytes bigint NOT NULL);
    CREATE FUNCTION benchmark_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO benchmark_writes VALUES (coalesce(pg_column_size(NEW.*), 1));
      RETURN NULL;
    END $$;
    CREATE TRIGGER benchmark_write AFTER INSERT OR UPDATE OR DELETE ON notewire_mirror_content
      FOR EACH ROW EXECUTE FUNCTION benchmark_write()`)
  return {
    bytes: async () => {
      const { rows } = await pool.query('SELECT coalesce(sum(bytes), 0) AS bytes FROM benchmark_writes')
      return Number(rows[0].bytes)
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}
