import type { Row, Table } from './report.ts'

const HEAD = /^\| \| (?<unit>.+) \| × \|(?<limits>.*)$/

/** Reads the tables of a page written by `writeReport`. */
export function readTables(page: string): readonly Table[] {
  return page.split(/^## /m).slice(1).map(readTable)
}

function readTable(section: string): Table {
  const [title = '', , head = '', , ...lines] = section.trimEnd().split('\n')
  const { unit = '', limits = '' } = HEAD.exec(head)?.groups ?? {}
  const end = lines.indexOf('')
  const note = end === -1 ? undefined : lines.slice(end + 1).join('\n')
  const rows = (end === -1 ? lines : lines.slice(0, end)).map((line) => readRow(line, cellsOf(limits)))
  return { title, unit, ...(note === undefined ? {} : { note }), rows }
}

function readRow(line: string, limits: readonly string[]): Row {
  const [, name = '', value, ratio, ...limitsOfRow] = cellsOf(line)
  const limitOf = (limit: string) => limitsOfRow[limits.indexOf(limit)] || undefined
  const [budget, least] = [limitOf('budget'), limitOf('at least')]
  return {
    name,
    value: Number(value),
    ratio: Number(ratio),
    ...(budget === undefined ? {} : { budget: Number(budget) }),
    ...(least === undefined ? {} : { least: Number(least) }),
  }
}

function cellsOf(line: string): readonly string[] {
  return line
    .split('|')
    .slice(0, -1)
    .map((cell) => cell.trim())
}
