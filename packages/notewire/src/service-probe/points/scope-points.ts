import type { ContractVariants } from '@notewire/mock-server'
import { asDefault, otherwise, type ProbedPoint, unseen } from '../point.ts'
import type { WireAnswer } from '../wire.ts'
import { bodyOf, fieldsOf, shownWord } from '../wire-shapes.ts'

/** What a scope is asked for. */
interface ScopedOperation {
  readonly title: string
  readonly usual: string
  /** The variant of the reference service that names it. */
  readonly variant: 'noteScope' | 'endpointScope'
}

const NOTES: ScopedOperation = { title: 'scope of reading notes', usual: 'notes:read', variant: 'noteScope' }
const ENDPOINTS: ScopedOperation = {
  title: 'scope of managing endpoints',
  usual: 'webhooks:manage',
  variant: 'endpointScope',
}

/** Which scopes the operations take (open point 23): a refusal names it, and a success names none. */
export function scopePoints(list: WireAnswer, endpoints: WireAnswer | undefined): readonly ProbedPoint[] {
  return [scope(NOTES, list), scope(ENDPOINTS, endpoints)]
}

function scope({ title, usual, variant }: ScopedOperation, answer: WireAnswer | undefined): ProbedPoint {
  const subject = { row: 23, title }
  if (answer === undefined) return unseen(subject, 'no answer came')
  if (answer.status !== 403) return unseen(subject, 'the key has it; a key without it would be told its name')
  const needed = fieldsOf(bodyOf(answer)['error'])['scope']
  if (typeof needed !== 'string') return unseen(subject, 'the service refuses this key, and does not say what it lacks')
  if (needed === usual) return asDefault(subject, `"${usual}", which this key lacks`)
  const contract: ContractVariants = { [variant]: needed }
  return otherwise(subject, `${scopeWord(needed)}, which this key lacks`, 'Create a key that has it.', contract)
}

function scopeWord(needed: string): string {
  return /^[\w:.-]{1,40}$/.test(needed) ? `"${needed}"` : shownWord(needed)
}
