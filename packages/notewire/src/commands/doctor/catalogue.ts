import type { Check } from './check.ts'
import { answerChecks } from './checks/answer.ts'
import { bodyChecks } from './checks/body.ts'
import { connectionChecks } from './checks/connection.ts'
import { effectChecks } from './checks/effect.ts'
import { eventChecks } from './checks/event.ts'
import { forgedEffectChecks } from './checks/forged-effect.ts'
import { forgeryChecks } from './checks/forgery.ts'
import { headerChecks } from './checks/header.ts'
import { identifierChecks } from './checks/identifier.ts'
import { memoryChecks } from './checks/memory.ts'
import { orderChecks } from './checks/order.ts'
import { repetitionChecks } from './checks/repetition.ts'
import { secretChecks } from './checks/secret.ts'
import { signatureChecks } from './checks/signature.ts'
import { timestampChecks } from './checks/timestamp.ts'

export const CHECKS: readonly Check[] = [
  ...connectionChecks,
  ...signatureChecks,
  ...headerChecks,
  ...forgeryChecks,
  ...secretChecks,
  ...timestampChecks,
  ...bodyChecks,
  ...eventChecks,
  ...repetitionChecks,
  ...effectChecks,
  ...orderChecks,
  ...identifierChecks,
  ...forgedEffectChecks,
  ...memoryChecks,
  ...answerChecks,
]

/** What `--only` takes: the IDs of checks, and the names of groups before the dot. */
export function namesOfChecks(): readonly string[] {
  const ids = CHECKS.map(({ id }) => id)
  return [...new Set(ids.map((id) => id.slice(0, id.indexOf('.')))), ...ids]
}

/** The checks with these IDs or groups, and those of the connection, without which the others would show nothing. All by default. */
export function checksNamed(names: readonly string[] = []): readonly Check[] {
  if (names.length === 0) return CHECKS
  const isNamed = ({ id }: Check) => names.some((name) => id === name || id.startsWith(`${name}.`))
  return CHECKS.filter((check) => connectionChecks.includes(check) || isNamed(check))
}
