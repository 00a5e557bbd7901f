import type { ContractVariants } from '@notewire/mock-server'
import type { Random } from '../simulation/random.ts'

/** The alternatives of the contract's open points that concern a mirror. Each must work as well as the default. */
const ALTERNATIVES: { readonly [Field in keyof ContractVariants]: readonly [unknown, ...unknown[]] } = {
  notesField: ['items'],
  noteIdentifier: ['note_id', 'id'],
  noteFields: ['required', 'unfamiliar'],
  tombstone: ['marker'],
  cursorLifetime: ['2s', '30s'],
  emptyPages: [true],
  lastCursor: ['absent', 'empty'],
  updatedAfter: ['inclusive'],
  timestamps: ['seconds', 'minutes'],
  noteOperation: ['live_notes', 'absent'],
  transcriptNotReady: [409, 202, 'not_found'],
  contentRevision: ['written', 'absent'],
  summaryNotReady: [404, 'not_found'],
  otherReasons: ['null'],
  summaryRaisesRevision: [false],
  deletionRaisesRevision: [false],
  debounceQuiet: ['0s', '1s'],
  errorBody: ['html', 'empty'],
  requestId: [false],
  accessGained: ['announced', 'revised'],
  eventOrder: ['any'],
  deletionRevision: ['absent', 'string'],
}

/** Draws the behavior of the service where the contract leaves it open. */
export function drawContract(random: Random): ContractVariants {
  const share = random.pick([0, 0.15, 0.4])
  const drawn: Record<string, unknown> = {}
  for (const [field, alternatives] of Object.entries(ALTERNATIVES)) {
    if (random.chance(share)) drawn[field] = random.pick(alternatives)
  }
  // Drawn more often, because only this alternative announces a note that returns at its previous revision.
  if (random.chance(0.2)) drawn['accessGained'] = 'announced'
  // With a repeating cursor, a listing never ends, so the mirror cannot converge.
  if (random.chance(0.01)) drawn['repeatingCursor'] = true
  return drawn
}

/** How a service answers a cursor that it does not know. */
export interface CursorRefusal {
  readonly status: number
  /** The code of the error; without it, the response has no body. */
  readonly code?: string | undefined
}

export function drawCursorRefusal(random: Random): CursorRefusal {
  if (random.chance(0.3)) return { status: 400, code: 'invalid_cursor' }
  const status = random.pick([400, 404, 409, 410, 422, 500])
  return random.chance(0.5) ? { status } : { status, code: random.pick(['invalid_cursor', 'cursor_expired', 'other']) }
}
