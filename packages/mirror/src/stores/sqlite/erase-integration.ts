import { ERASE_BATCH_SIZE, type IntegrationRecord } from '../../integrations/integration-store.ts'
import { escapedText } from '../escaped-text.ts'
import { isConflict } from './committing.ts'
import type { ErasingDatabase } from './database.ts'
import type { IndexRewrite } from './index-rewrite.ts'

/** Erases a part of an integration's notes, and the integration with the last of them, unless it was written since it was read. */
export async function eraseIntegration(
  database: ErasingDatabase,
  indexRewrite: IndexRewrite,
  { integration: name, generation, version, hints }: IntegrationRecord,
): Promise<'more' | 'written' | 'conflict'> {
  const integration = escapedText(name)
  const batch = [integration, ERASE_BATCH_SIZE]
  const statements = [
    { sql: GUARD, parameters: [integration, generation, version, hints] },
    { sql: ERASE_CONTENT, parameters: batch },
    { sql: ERASE_NOTES, parameters: batch },
    ...ERASE_REST.map((sql) => ({ sql, parameters: [integration] })),
  ]
  try {
    const rows = await database.run(statements, 'power-cut')
    return rows.at(-1)?.length === 0 ? 'more' : 'written'
  } catch (error) {
    if (isConflict(error)) return 'conflict'
    throw error
  } finally {
    database.recordErasure()
    indexRewrite.recordErasure()
    await database.truncateLog()
  }
}

const GUARD = `INSERT INTO notewire_mirror_conflicts (of) SELECT 'an integration' WHERE NOT EXISTS (
  SELECT 1 FROM notewire_integrations WHERE integration = ? AND generation = ? AND version = ? AND hints = ?)`

const BATCH = 'SELECT row_id FROM notewire_mirror_notes WHERE integration = ? ORDER BY note_id LIMIT ?'
const ERASE_CONTENT = `DELETE FROM notewire_mirror_content WHERE row_id IN (${BATCH})`
const ERASE_NOTES = `DELETE FROM notewire_mirror_notes WHERE row_id IN (${BATCH})`

const IS_EMPTY = 'NOT EXISTS (SELECT 1 FROM notewire_mirror_notes AS note WHERE note.integration = erased.integration)'
const ERASE_REST = [
  `DELETE FROM notewire_mirror_consumer_notes AS erased WHERE integration = ? AND ${IS_EMPTY}`,
  `DELETE FROM notewire_mirror_consumers AS erased WHERE integration = ? AND ${IS_EMPTY}`,
  `DELETE FROM notewire_mirror_runs AS erased WHERE integration = ? AND ${IS_EMPTY}`,
  `DELETE FROM notewire_mirrors AS erased WHERE integration = ? AND ${IS_EMPTY}`,
  `DELETE FROM notewire_integrations AS erased WHERE integration = ? AND ${IS_EMPTY} RETURNING token`,
]
