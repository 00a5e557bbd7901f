import { type Patch, patchOf } from '../simulation/patch.ts'

/** A bug that a month must detect. */
interface PlantedBug {
  readonly name: string
  readonly mistake: string
  readonly patches: readonly Patch[]
}

const missing = patchOf('mirror/src/rules/absence-rule.ts')
const removing = patchOf('mirror/src/engine/removal.ts')
const looking = patchOf('webhooks/src/stores/look-result.ts')
const verifying = patchOf('webhooks/src/verifier/signature-check.ts')
const adopting = patchOf('mirror/src/engine/adopting.ts')

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a full listing removes nothing',
    mistake: 'A note that a full listing misses is not requested.',
    patches: [missing("if (state.presence !== 'live' || ", 'if (startSequence >= 0 || ')],
  },
  {
    name: 'a duplicate is processed',
    mistake: 'An event that was processed counts as new.',
    patches: [looking('if (isProcessed && !isForgotten)', 'if (isForgotten)')],
  },
  {
    name: 'a removed integration stays for a week',
    mistake: 'A removal waits for consumers that have applied it.',
    patches: [removing('consumers.some(isLagging)', '(consumers.some(isLagging) || consumers.length > 0)')],
  },
  {
    name: 'every signature matches',
    mistake: 'A damaged event is accepted.',
    patches: [verifying('if (secretIndex === -1)', 'if (secretIndex < -1)')],
  },
  {
    name: 'an adopted key is not recorded',
    mistake: 'An integration whose key was replaced is active again, and expects the old key.',
    patches: [
      adopting(
        'await engineOf(connection, integration, fence, settings).adoptKey()',
        'engineOf(connection, integration, fence, settings)',
      ),
    ],
  },
]

/** @throws an error if there is no such bug */
export function patchesOf(bug: string): readonly Patch[] {
  const found = plantedBugs.find(({ name }) => name === bug)
  if (found === undefined) throw new Error(`There is no bug '${bug}'.`)
  return found.patches
}
