import { readFile, writeFile } from 'node:fs/promises'
import { arch, cpus, platform } from 'node:os'
import { join } from 'node:path'
import { anchorOf } from '../../docs/.vitepress/links.ts'

/** The answer to one question of a reader. */
export interface Table {
  /** The question. */
  readonly title: string
  readonly unit: string
  readonly note: string
  /** Otherwise lower values are better. */
  readonly moreIsBetter?: boolean
  readonly rows: readonly Row[]
}

/** One measured value. Rows with the same name form one line of the table. */
export interface Row {
  readonly name: string
  /** The condition of the measurement. The default is the unit of the table. */
  readonly column?: string
  readonly value: number
  /** The value as a multiple of the reference, whose ratio is 1. */
  readonly ratio?: number
  /** Our limit of `ratio`. */
  readonly aim?: number
  /** Our limit of `value`. */
  readonly budget?: number
  /** A reader could use this contender instead of Notewire. */
  readonly isAlternative?: boolean
}

const PAGE = join(import.meta.dirname, '../../docs/benchmarks.md')
const LOSSES = 'Where does Notewire lose?'
/** The names of our rows. */
const OURS = /^@?notewire/

/** One row for each value, with its ratio to the value of `reference`. */
export function comparedWith(
  reference: string,
  values: Readonly<Record<string, number>>,
  rest: (name: string) => Omit<Row, 'name' | 'value'> = () => ({}),
): readonly Row[] {
  const base = values[reference] ?? Number.NaN
  return Object.entries(values).map(([name, value]) => ({ name, value, ratio: value / base, ...rest(name) }))
}

/** The section of the page for a table. */
export function sectionOf(measurement: string, table: Table): string {
  return `## ${table.title}\n\n${linesOf(table).join('\n')}\n\n${table.note}\n\nMeasurement: \`${measurement}\`, on ${machine()}\n\n`
}

function machine(): string {
  const processors = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'an unknown processor'}`
  return `Node.js ${process.version}, ${platform()} ${arch()}, ${processors}`
}

function linesOf({ unit, rows, moreIsBetter = false }: Table): readonly string[] {
  const columnOf = ({ column = unit }: Row) => column
  const columns = [...new Set(rows.map(columnOf))]
  const lines = [...new Set(rows.map(({ name }) => name))].map((name) => rows.filter((row) => row.name === name))
  const hasAims = rows.some((row) => limitOf(row) !== undefined)
  const isWorse = (value: number, than: number) => (moreIsBetter ? value < than : value > than)

  function isLost(row: Row): boolean {
    const { name, value, ratio, aim, budget } = row
    if (budget !== undefined && isWorse(value, budget)) return true
    if (aim !== undefined && ratio !== undefined && isWorse(ratio, aim)) return true
    const others = rows.filter((other) => other.isAlternative === true && columnOf(other) === columnOf(row))
    return OURS.test(name) && others.some((other) => isWorse(value, other.value))
  }

  function cellOf(row: Row | undefined): string {
    if (row === undefined) return '–'
    const text = figure(row.value) + (row.ratio === undefined ? '' : ` (${figure(row.ratio)} ×)`)
    return isLost(row) ? `**${text}**` : text
  }

  function aimOf(line: readonly Row[]): string {
    const limits = line.map((row) => ({ column: columnOf(row), limit: limitOf(row) }))
    const texts = limits.map(({ limit }) => limit && `${moreIsBetter ? '≥' : '≤'} ${limit}`)
    if (new Set(texts).size === 1) return texts[0] ?? ''
    if (texts.length === columns.length && !texts.includes(undefined)) return texts.join(', ')
    return limits.flatMap(({ column }, at) => (texts[at] ? `${column.split(',')[0]} ${texts[at]}` : [])).join(', ')
  }

  const cells = [
    [columns.length === 1 ? '' : unit, ...columns, 'aim'],
    ['---', ...columns.map(() => '---:'), '---:'],
    ...lines.map((line) => [
      line[0]?.name,
      ...columns.map((column) => cellOf(line.find((row) => columnOf(row) === column))),
      aimOf(line),
    ]),
  ]
  return cells.map((line) => `| ${(hasAims ? line : line.slice(0, -1)).join(' | ')} |`)
}

function limitOf({ aim, budget }: Row): string | undefined {
  if (aim !== undefined) return `${round(aim)} ×`
  return budget === undefined ? undefined : round(budget)
}

/** Three significant digits, or all digits before the decimal point. */
function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}

function round(limit: number): string {
  return limit.toLocaleString('en', { maximumSignificantDigits: 3 })
}

/**
 * Writes the measured sections to `docs/benchmarks.md`, instead of those with the same headings.
 *
 * @param areFirst  whether they become the first sections; otherwise the page keeps its order
 */
export async function updatePage(measured: readonly string[], areFirst: boolean): Promise<void> {
  const [, ...before] = (await readFile(PAGE, 'utf8')).split(/^(?=## )/m)
  const ordered = areFirst ? [...measured, ...before, ...measured] : [...before, ...measured]
  // A map keeps the first place and the last value of a heading.
  const sections = new Map(ordered.map((section) => [headingOf(section), `${section.trimEnd()}\n\n`]))
  sections.delete(LOSSES)
  const all = [...sections.values()]
  await writeFile(PAGE, `${introduction()}${lossesOf(all)}\n\n${all.join('')}`.trimEnd().concat('\n'))
}

function headingOf(section: string): string {
  return section.slice('## '.length).split('\n', 1)[0] ?? ''
}

function introduction(): string {
  return `---
keywords: performance, speed, latency, throughput, overhead, memory, bundle size
---

# Benchmarks

Each cell shows a value and, in parentheses, its multiple of the row with (1.00 ×). Compare the multiples, because the values depend on the machine.
The column *aim* shows our limit for Notewire: for the value, or for the multiple (×). Several limits are in the order of the columns. Clients,
services and databases run on the machine that is named below the table.

\`\`\`sh
npm run setup
npm run benchmarks              # all measurements, in less than 20 minutes
npm run benchmarks -- servers   # one measurement, whose name is below its table
\`\`\`

The command replaces the tables of this page. \`many-mirrors\` and \`mirror-scan-million\` take longer and run only if you name them.

`
}

/** The rows with bold cells of all sections. */
function lossesOf(sections: readonly string[]): string {
  const losses = sections.flatMap((section) => {
    const [, , ...lines] = section.split('\n').flatMap((line) => (line.startsWith('|') ? [cellsOf(line)] : []))
    const names = lines.flatMap(([name, ...cells]) => (cells.some((cell) => cell.startsWith('**')) ? [name] : []))
    if (names.length === 0) return []
    return `| [${headingOf(section)}](#${anchorOf(headingOf(section))}) | ${names.join('; ')} |`
  })
  const rule = 'In a **bold** cell, Notewire misses its aim or an alternative is better. These rows have bold cells.'
  return [`## ${LOSSES}`, '', rule, '', '| question | rows |', '| --- | --- |', ...losses].join('\n')
}

function cellsOf(line: string): readonly string[] {
  return line.slice(2, -2).split(' | ')
}
