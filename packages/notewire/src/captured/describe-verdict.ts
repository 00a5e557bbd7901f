import { spellSeconds } from '../terminal/amounts.ts'
import type { Output } from '../terminal/output.ts'
import { wrap } from '../terminal/width.ts'
import { RAW_BODY_BY_FRAMEWORK } from './raw-body-advice.ts'
import type { Verdict } from './verdict.ts'

/** A verdict for a person: the cause on the first line, the next step, then the facts. */
export function describeVerdict(verdict: Verdict, { paint, width }: Pick<Output, 'paint' | 'width'>): string {
  const { request, webhookId, causes } = verdict
  const [first, ...others] = causes
  const lines =
    first === undefined
      ? [`${paint('green', '✓ valid')}: ${signerOf(verdict)}`, `  Next step: ${IF_REFUSED}`]
      : [`${paint('red', '✗ invalid')}: ${first.what}`, `  Next step: ${first.nextStep}`]
  for (const { what, nextStep } of others) lines.push(`  Also: ${what}`, `  Next step: ${nextStep}`)
  const facts = [
    ...causes.map(({ code }) => `[${code}]`),
    ...(request.format === 'har' ? [`entry ${request.entry}`] : []),
    ...(webhookId === undefined ? [] : [webhookId]),
    `${request.body.length} bytes`,
  ]
  lines.push(`  ${facts.join(', ')}`)
  if (first?.code.startsWith('body_')) {
    lines.push('', '  The bytes of the body, by framework', ...RAW_BODY_BY_FRAMEWORK.map((advice) => `  - ${advice}`))
  }
  return lines.map((line) => wrap(line.trimStart(), width, line.startsWith(' ') ? '  ' : '')).join('\n')
}

const IF_REFUSED =
  'If a receiver refuses it, run notewire doctor <receiver-url>: it reads another body, other headers or another secret.'

function signerOf({ secret, ageSeconds }: Verdict): string {
  const name = secret?.number === 1 ? secret.name : `secret ${secret?.number} (${secret?.name})`
  if (ageSeconds === undefined) return `signed with ${name}`
  return `signed with ${name}, ${spellSeconds(Math.abs(ageSeconds))} ${ageSeconds < 0 ? 'ahead' : 'old'}`
}
