import { writeFile } from 'node:fs/promises'
import { arch, cpus, platform } from 'node:os'
import { join } from 'node:path'

/** A table that compares contenders. */
export interface Table {
  readonly title: string
  readonly unit: string
  /** The conditions of the measurement. */
  readonly note?: string
  readonly rows: readonly Row[]
}

export interface Row {
  readonly name: string
  readonly value: number
  /** The value as a multiple of the reference that the title or the note names. */
  readonly ratio: number
  /** Our upper limit of `value`. */
  readonly budget?: number
  /** Our lower limit of `value`, if more is better. */
  readonly least?: number
}

/** The folder of the page. */
export const DOCS = join(import.meta.dirname, '../../docs')

/** Writes `docs/benchmarks.md`. */
export async function writeReport(tables: readonly Table[]): Promise<void> {
  await writeFile(join(DOCS, 'benchmarks.md'), pageOf(tables))
}

function pageOf(tables: readonly Table[]): string {
  return `---
keywords: performance, speed, latency, throughput, overhead, memory, bundle size
---

# Benchmarks

Written by \`npm run benchmarks\` with Node.js ${process.version}, ${platform()} ${arch()}, ${cpus().length} × ${cpus()[0]?.model ?? 'an unnamed processor'}.
In each table, the contenders are measured alternately in one run. Compare the ratios: the absolute numbers depend on the machine and its load.
The tables also show where Notewire loses.

${tables.map(sectionOf).join('\n')}`
}

function sectionOf({ title, unit, note, rows }: Table): string {
  const limits = LIMITS.filter(({ of }) => rows.some((row) => of(row) !== undefined))
  const head = `| | ${unit} | × |${limits.map(({ name }) => ` ${name} |`).join('')}`
  const ruler = `| --- | ---: | ---: |${' ---: |'.repeat(limits.length)}`
  const lines = rows.map((row) => {
    const cells = limits.map(({ of }) => ` ${limitOf(of(row))} |`)
    return `| ${row.name} | ${figure(row.value)} | ${figure(row.ratio)} |${cells.join('')}`
  })
  return `## ${title}\n\n${[head, ruler, ...lines].join('\n')}\n${note === undefined ? '' : `\n${note}\n`}`
}

const LIMITS: readonly { readonly name: string; readonly of: (row: Row) => number | undefined }[] = [
  { name: 'budget', of: ({ budget }) => budget },
  { name: 'at least', of: ({ least }) => least },
]

function limitOf(limit: number | undefined): string {
  return limit === undefined ? '' : figure(limit)
}

/** Three significant digits, or all digits before the decimal point. */
export function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
