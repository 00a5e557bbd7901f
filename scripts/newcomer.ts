import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { followReadme, followTutorial, installAsNewcomer } from '../tests/newcomer/walk.ts'
import { packPackages } from './pack-packages.ts'

// Usage: node scripts/newcomer.ts, after `npm run build`. Follows the steps of the README and the tutorial in empty folders.
const began = performance.now()
const seconds = () => ((performance.now() - began) / 1_000).toFixed(1)
const folder = await mkdtemp(join(tmpdir(), 'notewire-newcomer-'))
try {
  await mkdir(join(folder, 'tarballs'))
  const packed = await packPackages(join(folder, 'tarballs'))
  await installAsNewcomer(join(folder, 'readme'), 'README.md', packed)
  console.log(`installed after ${seconds()} s`)
  console.log(await followReadme(join(folder, 'readme')))
  console.log(`README: done after ${seconds()} s`)
  await installAsNewcomer(join(folder, 'tutorial'), 'docs/tutorial.md', packed)
  console.log(await followTutorial(join(folder, 'tutorial')))
  console.log(`tutorial: done after ${seconds()} s`)
} finally {
  await rm(folder, { recursive: true })
}
