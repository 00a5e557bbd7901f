import { describe, it } from 'vitest'
import { mirrorStoreChecks } from '../testing/mirror-store-checks.ts'
import { memoryMirror } from './memory-store.ts'

describe('the mirror in memory', () => {
  for (const { name, run } of mirrorStoreChecks) it(name, () => run(memoryMirror()))
})
