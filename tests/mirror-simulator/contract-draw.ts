import type { ContractVariants } from '@notewire/mock-server'
import type { Random } from '../simulation/random.ts'

/** The alternatives that a mirror meets, by the contract's open points: each must work as the default does. */
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
}

/** Draws what the service does where the contract is silent. */
export function drawContract(random: Random): ContractVariants {
  const share = random.pick([0, 0.15, 0.4])
  const drawn: Record<string, unknown> = {}
  for (const [field, alternatives] of Object.entries(ALTERNATIVES)) {
    if (random.chance(share)) drawn[field] = random.pick(alternatives)
  }
  // Nothing else has an event tell of a note that is back at its revision.
  if (random.chance(0.2)) drawn['accessGained'] = 'announced'
  // A listing that leads round in circles never ends, so that such a mirror can only stay as it is.
  if (random.chance(0.01)) drawn['repeatingCursor'] = true
  return drawn
}
