import { writeFile } from 'node:fs/promises'
import { arch, cpus, platform } from 'node:os'
import { join } from 'node:path'

/** One comparison. */
export interface Table {
  readonly title: string
  readonly unit: string
  /** What a reader must know to read it fairly. */
  readonly note?: string
  readonly rows: readonly Row[]
}

export interface Row {
  readonly name: string
  readonly value: number
  /** The value as a multiple of Notewire's, or of the floor where the title says so. */
  readonly ratio: number
  /** The most that `value` may be, where we hold ourselves to it. */
  readonly budget?: number
  /** The least that it may be, where more is better. */
  readonly least?: number
}

/** Where the page is. */
export const DOCS = join(import.meta.dirname, '../../docs')

/** Writes `docs/benchmarks.md` and its plot. */
export async function writeReport(tables: readonly Table[]): Promise<void> {
  await writeFile(join(DOCS, 'benchmarks.svg'), plotOf(tables))
  await writeFile(join(DOCS, 'benchmarks.md'), pageOf(tables))
}

function pageOf(tables: readonly Table[]): string {
  return `# Benchmarks

Made by \`npm run benchmarks\`, on Node.js ${process.version}, ${platform()} ${arch()}, ${cpus().length} × ${cpus()[0]?.model ?? 'an unnamed processor'}.
Every table is one run in which all contenders take turns, so that the ratios hold where the absolute numbers do not.
Losses are in it like everything else.

![The same tables as bars](benchmarks.svg)

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

const ROW = { height: 22, top: 40, left: 330, width: 420 }

function plotOf(tables: readonly Table[]): string {
  let y = 10
  const parts = tables.map((table) => {
    const longest = Math.max(...table.rows.map(({ value }) => value))
    const bars = table.rows.map((row, index) => {
      const top = y + ROW.top + index * ROW.height
      const width = (row.value / longest) * ROW.width
      const fill = row.name.startsWith('notewire') ? '#0a7d6c' : '#9aa5b1'
      return `<text x="${ROW.left - 8}" y="${top + 14}" text-anchor="end">${escaped(row.name)}</text><rect x="${ROW.left}" y="${top + 2}" width="${width.toFixed(1)}" height="16" fill="${fill}"/><text x="${(ROW.left + width + 6).toFixed(1)}" y="${top + 14}">${figure(row.value)}</text>`
    })
    const heading = `<text x="10" y="${y + 24}" font-weight="bold">${escaped(`${table.title}, ${table.unit}`)}</text>`
    y += ROW.top + table.rows.length * ROW.height + 16
    return heading + bars.join('')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="840" height="${y}" font-family="system-ui, sans-serif" font-size="13" fill="#334155" role="img"><title>Benchmarks of Notewire and its peers</title><rect width="840" height="${y}" fill="#ffffff"/>${parts.join('')}</svg>\n`
}

/** Three digits, or all of them before the point. */
export function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
