import { candidateChecks } from './checks/candidate-checks.ts'
import type { MirrorStoreCheck } from './checks/check.ts'
import { commitChecks } from './checks/commit-checks.ts'
import { consumerChecks } from './checks/consumer-checks.ts'
import { contentChecks } from './checks/content-checks.ts'
import { dueChecks } from './checks/due-checks.ts'
import { feedChecks } from './checks/feed-checks.ts'
import { integrationChecks } from './checks/integration-checks.ts'
import { manyChecks } from './checks/many-checks.ts'
import { readingChecks } from './checks/reading-checks.ts'
import { searchChecks } from './checks/search-checks.ts'
import { sequenceChecks } from './checks/sequence-checks.ts'

export type { MirrorStoreCheck } from './checks/check.ts'

/**
 * Checks of the contract of a mirror's store. Run each against your store, in any test runner, after `migrate`. They need Node's `assert`.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest'
 * import { memoryMirror } from '@notewire/mirror'
 * import { mirrorStoreChecks } from '@notewire/mirror/testing'
 *
 * describe('my store', () => {
 *   for (const { name, run } of mirrorStoreChecks) it(name, () => run(memoryMirror()))
 * })
 * ```
 */
export const mirrorStoreChecks: readonly MirrorStoreCheck[] = [
  ...sequenceChecks,
  ...commitChecks,
  ...contentChecks,
  ...feedChecks,
  ...consumerChecks,
  ...dueChecks,
  ...candidateChecks,
  ...readingChecks,
  ...searchChecks,
  ...integrationChecks,
  ...manyChecks,
]
