import type {
  IntegrationCounts,
  IntegrationRecord,
  IntegrationRows,
  ListedIntegration,
  TakenIntegration,
} from '../../integrations/integration-store.ts'
import type { CopyState } from '../../integrations/progress.ts'
import { type StoredProgress, withProgress } from '../progress-json.ts'
import { mustSurvive } from '../surviving-rows.ts'
import { countStatement } from './count-of-integrations.ts'
import * as statements from './integration-statements.ts'
import { sql } from './sql.ts'
import { readOne, type SqlDatabase } from './sql-database.ts'

/** Erases a part of an integration's notes, or all of the integration if no note is left. */
type Erase = (record: IntegrationRecord) => Promise<'written' | 'conflict' | 'more'>

/** Makes the rows of integrations. Each operation is one statement; in SQLite, `take` sends another one before it. */
export function createIntegrationRows(database: SqlDatabase, erase: Erase): IntegrationRows {
  const { dialect } = database

  async function write(next: IntegrationRecord, read: IntegrationRecord | undefined): Promise<boolean> {
    const durability = mustSurvive(next, read) ? 'power-cut' : 'process'
    const statement = statements.write(next, read, dialect.durably(durability))
    return (await database.write('write', statement, durability)).length > 0
  }

  return {
    list: (request) => database.read<ListedIntegration>('list', statements.list(request, dialect)),

    async write(next, read) {
      if (next === 'deleted') return read === undefined ? 'written' : await erase(read)
      try {
        return (await write(next, read)) ? 'written' : 'conflict'
      } catch (error) {
        if (database.isDuplicate(error)) return 'shared'
        throw error
      }
    },

    async take(request) {
      const candidate = statements.candidateFor(request, dialect)
      // Most calls find no due integration, and need not wait for a writer.
      const isNoneDue = async () =>
        (await database.read('take', sql`SELECT '1' AS result WHERE ${candidate} IS NOT NULL`)).length === 0
      if (dialect.hasOneWriter && (await isNoneDue())) return undefined
      const [taken] = await database.write<Partial<StoredTaken>>(
        'take',
        statements.take(candidate, request, dialect),
        'process',
      )
      return taken && isTaken(taken) ? withCopy(taken) : undefined
    },

    async findHinted(request) {
      const [found] = await database.read<StoredTaken>('findHinted', statements.findHinted(request, dialect))
      return found && withCopy(found)
    },

    count: (now) => readOne<IntegrationCounts>(database, 'count', countStatement(now, dialect)),
  }
}

interface StoredTaken extends Omit<TakenIntegration, 'copy'> {
  readonly copy: StoredProgress<CopyState>
}

/** The row contains the time of the server alone if nothing was taken. */
function isTaken(row: Partial<StoredTaken>): row is StoredTaken {
  return row.record !== undefined
}

function withCopy({ record, copy }: StoredTaken): TakenIntegration {
  return { record, copy: withProgress(copy) }
}
