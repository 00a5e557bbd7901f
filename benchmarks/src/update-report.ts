import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readTables } from './read-tables.ts'
import { DOCS, type Table, writeReport } from './report.ts'

/** Writes these tables into `docs/benchmarks.md`, each in the place of the one that has its title. */
export async function updateReport(measured: readonly Table[]): Promise<void> {
  const before = readTables(await readFile(join(DOCS, 'benchmarks.md'), 'utf8'))
  const measuredAnew = (title: string) => measured.find((table) => table.title === title)
  const added = measured.filter(({ title }) => !before.some((table) => table.title === title))
  await writeReport([...before.map((table) => measuredAnew(table.title) ?? table), ...added])
}
