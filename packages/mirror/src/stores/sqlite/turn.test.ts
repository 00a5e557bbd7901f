import { expect, it } from 'vitest'
import { aLiveState } from '../../../fixtures/store-checks/builders.ts'
import { sqliteMirror } from './sqlite-mirror.ts'

it('after each commit, other work of the process runs before the next commit', async () => {
  const store = sqliteMirror(':memory:')
  await store.migrate()
  let turns = 0
  const countTurn = () => {
    turns += 1
    next = setImmediate(countTurn)
  }
  let next = setImmediate(countTurn)
  for (let commits = 1; commits <= 5; commits += 1) {
    await store.commit('default', { notes: [{ state: aLiveState(`note ${commits}`), expectedVersion: 0 }] })
    expect(turns).toBeGreaterThanOrEqual(commits)
  }
  clearImmediate(next)
  await store.close?.()
})
