import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { followReadme, followTutorial, installAsNewcomer } from '../tests/newcomer/walk.ts'

// Usage: node scripts/newcomer.ts, after `npm run build`. Follows the steps of the README and the tutorial in an empty folder.
const began = performance.now()
const seconds = () => ((performance.now() - began) / 1_000).toFixed(1)
const folder = await mkdtemp(join(tmpdir(), 'notewire-newcomer-'))
try {
  await installAsNewcomer(folder)
  console.log(`installed after ${seconds()} s`)
  console.log(await followReadme(folder))
  console.log(`README: a verified delivery has arrived after ${seconds()} s`)
  console.log(await followTutorial(folder))
  console.log(`tutorial: done after ${seconds()} s`)
} finally {
  await rm(folder, { recursive: true })
}
