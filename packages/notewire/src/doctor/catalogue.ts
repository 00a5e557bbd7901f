import type { CheckGroup } from './check.ts'
import { answer } from './checks/answer.ts'
import { body } from './checks/body.ts'
import { connection } from './checks/connection.ts'
import { effect } from './checks/effect.ts'
import { event } from './checks/event.ts'
import { header } from './checks/header.ts'
import { repetition } from './checks/repetition.ts'
import { secret } from './checks/secret.ts'
import { signature } from './checks/signature.ts'
import { timestamp } from './checks/timestamp.ts'

/** Everything that a receiver is examined for, in the order in which it is. */
export const CATALOGUE: readonly CheckGroup[] = [
  connection,
  signature,
  secret,
  timestamp,
  header,
  body,
  event,
  repetition,
  effect,
  answer,
]

/** What `--only` takes: every check, and the groups by what comes before the dot. */
export function namesOfChecks(): readonly string[] {
  const ids = CATALOGUE.flatMap(({ checks }) => checks.map(({ id }) => id))
  const groups = ids.map((id) => id.slice(0, id.indexOf('.')))
  return [...new Set(groups), ...ids]
}
