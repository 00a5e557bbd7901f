import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PackedPackage, packPackages } from './pack-packages.ts'
import { run, tool, WORKSPACE } from './run.ts'

const destination = await mkdtemp(join(tmpdir(), 'notewire-packed-'))
try {
  await Promise.all((await packPackages(destination)).map(check))
} finally {
  await rm(destination, { recursive: true })
}

async function check({ name, tarball }: PackedPackage): Promise<void> {
  await run(tool('publint'), ['run', tarball, '--strict'], WORKSPACE)
  // The migrations are SQL files, not modules.
  const options = ['--profile', 'esm-only', '--no-definitely-typed', '--exclude-entrypoints', './postgres.sql']
  await run(tool('attw'), [tarball, ...options], WORKSPACE)
  console.log(`${name}: publint and attw have found no problem`)
}
