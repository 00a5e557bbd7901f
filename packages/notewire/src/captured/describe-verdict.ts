import { spellSeconds } from '../terminal/amounts.ts'
import type { Paint } from '../terminal/colour.ts'
import { wrap } from '../terminal/width.ts'
import { RAW_BODY_ADVICE } from './framework-advice.ts'
import type { Verdict } from './verdict.ts'

/** How text for a person looks. */
export interface DescriptionStyle {
  readonly paint: Paint
  readonly width: number
}

/** A verdict for a person: the diagnosis on the first line, the next step, then the facts. */
export function describeVerdict(verdict: Verdict, style: DescriptionStyle): string {
  const { paint, width } = style
  const [first, ...others] = verdict.causes
  const sections =
    first === undefined
      ? [`${paint('green', '✓ valid')}: ${signerOf(verdict)}`, nextStep(IF_REFUSED, width)]
      : [wrap(`${paint('red', '✗ invalid')}: ${first.what}`, width), nextStep(first.nextStep, width)]
  for (const { what, nextStep: step } of others)
    sections.push(wrap(`Also: ${what}`, width, '  '), nextStep(step, width))
  sections.push(wrap(factsOf(verdict).join(', '), width, '  '))
  if (first?.code.startsWith('body_')) sections.push('', ...advice(style))
  return sections.join('\n')
}

const IF_REFUSED =
  'If a receiver refuses it, run notewire doctor <receiver-url>: it reads another body, other headers or another secret.'

function nextStep(text: string, width: number): string {
  return wrap(`Next step: ${text}`, width, '  ')
}

function signerOf({ secret, ageSeconds }: Verdict): string {
  const name = secret?.number === 1 ? secret.name : `secret ${secret?.number} (${secret?.name})`
  const age = ageSeconds === undefined ? '' : `, ${ageOf(ageSeconds)}`
  return `signed with ${name}${age}`
}

function ageOf(seconds: number): string {
  return seconds < 0 ? `${spellSeconds(-seconds)} ahead` : `${spellSeconds(seconds)} old`
}

function factsOf({ request, webhookId, causes }: Verdict): readonly string[] {
  const entry = request.format === 'har' ? [`entry ${request.entry}`] : []
  const codes = causes.map(({ code }) => `[${code}]`)
  return [...codes, ...entry, ...(webhookId === undefined ? [] : [webhookId]), `${request.body.length} bytes`]
}

/** How to get at the bytes of a body in a framework. */
function advice({ paint, width }: DescriptionStyle): readonly string[] {
  const lines = RAW_BODY_ADVICE.map(({ framework, advice: text }) =>
    wrap(`${framework}: ${text}`, width, '    ').replace(/^ {4}/, '  - '),
  )
  return [`  ${paint('bold', 'The bytes of the body, by framework')}`, ...lines]
}
