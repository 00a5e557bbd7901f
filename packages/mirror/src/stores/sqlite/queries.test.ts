import { nodeSqlite, type SqliteDriver } from '@notewire/storage'
import { expect, it } from 'vitest'
import { mirrorStoreChecks } from '../../../fixtures/store-checks/mirror-store-checks.ts'
import { sqliteMirror } from './sqlite-mirror.ts'

it('no statement full listings a whole table, and the number of different statements is fixed', async () => {
  const inner = nodeSqlite(':memory:')
  const texts = new Map<string, number>()
  const recording: SqliteDriver = {
    batch(statements, outlives) {
      for (const { sql, parameters } of statements) texts.set(sql, parameters.length)
      return inner.batch(statements, outlives)
    },
  }
  const store = sqliteMirror(recording)
  await store.migrate()
  texts.clear()
  for (const { run } of mirrorStoreChecks) await run(store)
  for (const sql of texts.keys()) if (/^\s*(CREATE|PRAGMA)|'secure-delete'|'rank'/.test(sql)) texts.delete(sql)
  expect(texts.size).toBeGreaterThan(15)
  expect(texts.size).toBeLessThan(110)
  for (const [sql, parameters] of texts) {
    const explain = { sql: `EXPLAIN QUERY PLAN ${sql}`, parameters: Array(parameters).fill(null) }
    const [plan = []] = await inner.batch([explain], 'process')
    const steps = plan.map(({ detail }) => String(detail))
    // A limit ends a full listing in index order early, and `NOT EXISTS` ends it at the first row.
    if (/LIMIT \?|NOT EXISTS/.test(sql) && !steps.some((step) => step.includes('TEMP B-TREE'))) continue
    const scans = steps.filter((step) => TABLE_SCAN.test(step) && !step.endsWith('notewire_mirror_content_waiting'))
    expect(scans, sql).toEqual([])
  }
  await inner.close?.()
})

const TABLE_SCAN =
  /^SCAN (note|content|kept|consumer|notewire_mirror_(notes|content|consumers|consumer_notes))\b|notewire_mirror_notes_by_id \(integration=\?\)$/
