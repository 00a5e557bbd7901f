import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'vitest'
import { WORKSPACE } from '../scripts/run.ts'
import { plantedStatements } from './planted-statements/planted-statements.ts'
import { applyPatch } from './simulation/patch.ts'

it('fits each planted bug to the statements', () => {
  for (const { patch } of plantedStatements) {
    applyPatch(patch, readFileSync(join(WORKSPACE, 'packages', patch.file), 'utf8'))
  }
})
