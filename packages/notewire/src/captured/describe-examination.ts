import { spellSeconds } from '../terminal/amounts.ts'
import type { Paint } from '../terminal/colour.ts'
import { wrap } from '../terminal/width.ts'
import type { Examination, ShownSecret } from './examination.ts'
import type { Finding } from './finding.ts'
import { RAW_BODY_ADVICE } from './framework-advice.ts'

/** How text for a person looks. */
export interface DescriptionStyle {
  readonly paint: Paint
  readonly width: number
}

/** An examination in words, for a person: the verdict, what explains it, and what to do. */
export function describeExamination(examination: Examination, style: DescriptionStyle): string {
  const sections = [headline(examination, style), verdictText(examination, style)]
  const several = examination.explanations.length > 1
  for (const [index, { secret, findings }] of examination.explanations.entries()) {
    const title = several ? `Explanation ${index + 1}` : 'Why'
    sections.push(section(`${title}: with this, the signature is that of ${nameOf(secret)}`, findings, style))
  }
  if (examination.faults.length > 0)
    sections.push(section(examination.explanations.length > 0 ? 'Wrong besides' : 'Why', examination.faults, style))
  if (examination.hints.length > 0) sections.push(section('What may be the reason', examination.hints, style))
  if (bodyWasRewritten(examination)) sections.push(adviceText(style))
  return sections.join('\n\n')
}

function headline({ verdict, request }: Examination, { paint, width }: DescriptionStyle): string {
  const mark = verdict === 'valid' ? paint('green', '✓ valid') : paint('red', '✗ invalid')
  const { format, entry, method, webhookId, bodyBytes, notices } = request
  const facts = [format === 'har' ? `entry ${entry}` : undefined, method, webhookId, `${bodyBytes} bytes`].filter(
    (fact) => fact !== undefined,
  )
  const notes = notices.map((notice) => `\n${wrap(`Note: ${notice}.`, width, '  ')}`)
  return `${mark}  ${facts.join(', ')}${notes.join('')}`
}

function verdictText(examination: Examination, { width }: DescriptionStyle): string {
  return wrap(verdictOf(examination), width, '  ')
}

function verdictOf({ signature, secret, refusal, ageSeconds }: Examination): string {
  if (refusal === undefined) {
    const age = ageSeconds === undefined ? '' : `, ${ageOf(ageSeconds)}`
    return `It is signed by ${secret === undefined ? 'a known secret' : nameOf(secret)}${age}. A receiver that refused it read other bytes, other headers or another secret than these: \`notewire doctor <receiver-url>\` finds out which.`
  }
  switch (signature) {
    case 'right':
      return `The signature is right: it is that of ${secret === undefined ? 'a known secret' : nameOf(secret)}, and nothing was altered. The time is not right.`
    case 'explained':
      return `A receiver refuses it: ${refusal.detail}. What happened to it is known.`
    case 'unexplained':
      return `A receiver refuses it: ${refusal.detail}.`
  }
}

function ageOf(seconds: number): string {
  return seconds < 0 ? `${spellSeconds(-seconds)} ahead` : `${spellSeconds(seconds)} ago`
}

function nameOf({ number, name }: ShownSecret): string {
  return number === 1 ? name : `secret ${number} (${name})`
}

function section(title: string, findings: readonly Finding[], { paint, width }: DescriptionStyle): string {
  const lines = findings.map(
    ({ code, what, fix }) => `${bullet(`${what}. [${code}]`, width)}\n${wrap(fix, width, '    ')}`,
  )
  return `  ${paint('bold', title)}\n${lines.join('\n')}`
}

function bullet(text: string, width: number): string {
  return wrap(text, width, '    ').replace(/^ {4}/, '  - ')
}

/** What a framework has to do with: the body was read before it was verified. */
function bodyWasRewritten({ explanations }: Examination): boolean {
  return explanations.some(({ findings }) =>
    findings.some(({ subject, code }) => subject === 'body' && code !== 'body_longer_than_declared'),
  )
}

function adviceText({ paint, width }: DescriptionStyle): string {
  const lines = RAW_BODY_ADVICE.map(({ framework, advice }) => bullet(`${framework}: ${advice}`, width))
  return `  ${paint('bold', 'The bytes as they came, by framework')}\n${lines.join('\n')}`
}
