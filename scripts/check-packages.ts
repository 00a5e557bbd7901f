import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PackedPackage, packPackages } from './pack-packages.ts'
import { run, WORKSPACE } from './run.ts'

const destination = await mkdtemp(join(tmpdir(), 'notewire-packed-'))
try {
  await Promise.all((await packPackages(destination)).map(check))
} finally {
  await rm(destination, { recursive: true })
}

async function check({ name, tarball }: PackedPackage): Promise<void> {
  await run('publint', ['run', tarball, '--strict'], WORKSPACE)
  await run('attw', [tarball, '--profile', 'esm-only', '--no-definitely-typed'], WORKSPACE)
  console.log(`${name}: publint and attw have no complaint`)
}
