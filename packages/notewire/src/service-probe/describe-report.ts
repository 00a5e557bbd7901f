import type { Paint } from '../terminal/colour.ts'
import { wrap } from '../terminal/width.ts'
import type { PointVerdict, ProbedPoint } from './point.ts'
import type { ServiceReport } from './probe-service.ts'

/** How text for a person looks. */
interface DescriptionStyle {
  readonly paint: Paint
  readonly width: number
}

const SECTIONS: readonly (readonly [verdict: PointVerdict, title: string])[] = [
  ['incompatible', 'Otherwise, and something does not work'],
  ['alternative', 'Otherwise, and Notewire copes'],
  ['default', 'As Notewire takes it to be'],
  ['unseen', 'Not seen'],
]

/** What a probe found, for a person: what differs first, then the options that fit. */
export function describeServiceReport(report: ServiceReport, style: DescriptionStyle): string {
  const { paint } = style
  const { baseUrl, keyId, requests, points } = report
  const seen = points.filter(({ verdict }) => verdict !== 'unseen').length
  const key = keyId === null ? '' : `, key ${keyId}`
  const head = `${paint('bold', baseUrl)}${key}: ${seen} of ${points.length} points seen by ${requests} requests`
  const sections = SECTIONS.flatMap(([verdict, title]) => sectionText(verdict, title, points, style))
  return [head, ...sections, optionsText(report, style)].join('\n\n')
}

function sectionText(
  verdict: PointVerdict,
  title: string,
  points: readonly ProbedPoint[],
  style: DescriptionStyle,
): readonly string[] {
  const chosen = points.filter((point) => point.verdict === verdict)
  if (chosen.length === 0) return []
  const lines = verdict === 'unseen' ? unseenLines(chosen, style) : chosen.map((point) => pointText(point, style))
  return [`${style.paint('bold', title)}\n${lines.join('\n')}`]
}

const MARKS = { incompatible: ['red', '✗'], alternative: ['yellow', '~'], default: ['green', '✓'] } as const

function pointText({ row, title, verdict, seen, advice }: ProbedPoint, { paint, width }: DescriptionStyle): string {
  const [colour, mark] = verdict === 'unseen' ? (['dim', '?'] as const) : MARKS[verdict]
  const text = wrap(`${rowText(row)}${title}: ${seen}`, width, '    ').trimStart()
  const more = advice === '' ? '' : `\n${paint('dim', wrap(advice, width, '      '))}`
  return `  ${paint(colour, mark)} ${text}${more}`
}

function rowText(row: number | null): string {
  return row === null ? '' : `${row}. `
}

/** Points that were not seen for the same reason share a line. */
function unseenLines(points: readonly ProbedPoint[], { paint, width }: DescriptionStyle): readonly string[] {
  const byReason = Map.groupBy(points, ({ seen }) => seen)
  return [...byReason].map(([reason, sharing]) => {
    const titles = sharing.map(({ row, title }) => `${rowText(row)}${title}`).join('; ')
    return `  ${paint('dim', '?')} ${wrap(titles, width, '    ').trimStart()}\n${paint('dim', wrap(reason, width, '      '))}`
  })
}

function optionsText({ clientOptions, contract }: ServiceReport, { paint }: DescriptionStyle): string {
  const { baseUrl, notesField } = clientOptions
  const field = notesField === undefined ? '' : `, notesField: ${quoted(notesField)}`
  const client = `new NotesClient({ baseUrl: ${quoted(baseUrl)}${field}, apiKey })`
  const variants = Object.entries(contract).map(([name, value]) => `${name}: ${quoted(value)}`)
  const mirror = 'createMirror({ client, store })   // nothing else to set'
  const mock =
    variants.length === 0
      ? 'createNotesService()'
      : `createNotesService({\n    contract: {\n${variants.map((variant) => `      ${variant},\n`).join('')}    },\n  })`
  return `${paint('bold', 'What fits it')}\n  ${client}\n  ${mirror}\n${paint('bold', 'The reference service, playing this one in your tests')}\n  ${mock}`
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : String(value)
}
