import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readTables } from './read-tables.ts'
import { DOCS, type Table, writeReport } from './report.ts'

/** Replaces the tables with the same titles in `docs/benchmarks.md`. */
export async function updateReport(measured: readonly Table[]): Promise<void> {
  const before = readTables(await readFile(join(DOCS, 'benchmarks.md'), 'utf8'))
  const measuredAnew = (title: string) => measured.find((table) => table.title === title)
  const added = measured.filter(({ title }) => !before.some((table) => table.title === title))
  await writeReport([...before.map((table) => measuredAnew(table.title) ?? table), ...added])
}
