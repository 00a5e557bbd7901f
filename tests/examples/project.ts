import { readFileSync } from 'node:fs'
import { cp, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { PackedPackage } from '../../scripts/pack-packages.ts'
import { run, tool, WORKSPACE } from '../../scripts/run.ts'

type Dependencies = Readonly<Record<string, string>>

interface Manifest {
  readonly version?: string
  readonly scripts?: { readonly test?: string }
  readonly dependencies?: Dependencies
  readonly devDependencies?: Dependencies
}

/** A package of the workspace that no registry has. */
const TEST_SERVERS = 'notewire-test-servers'

/** The command that tests the project in `folder`, if there is one. */
export function testScriptOf(folder: string): string | undefined {
  return manifestOf(folder).scripts?.test
}

/** Copies a project out of the workspace, and installs the copy with the tarballs in place of our packages. */
export async function installCopy(folder: string, copy: string, packages: readonly PackedPackage[]): Promise<void> {
  // A test that is repeated finds the copy of its first run.
  await rm(copy, { recursive: true, force: true })
  await cp(join(WORKSPACE, folder), copy, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  const { dependencies = {}, devDependencies = {}, ...manifest } = manifestOf(folder)
  const tarballs: Dependencies = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const outside = (given: Dependencies) =>
    Object.entries(given)
      .filter(([name]) => name !== TEST_SERVERS)
      .map(([name, range]) => [name, tarballs[name] ?? (range === 'catalog:' ? installedVersion(folder, name) : range)])
  const outsideTheWorkspace = {
    ...manifest,
    dependencies: Object.fromEntries(outside(dependencies)),
    devDependencies: Object.fromEntries(outside(devDependencies)),
  }
  await writeFile(join(copy, 'package.json'), JSON.stringify(outsideTheWorkspace))
  // Our packages depend on one another, and no registry has them yet. `hoisted` is the layout of npm.
  await writeFile(join(copy, 'pnpm-workspace.yaml'), JSON.stringify({ overrides: tarballs, nodeLinker: 'hoisted' }))
  // pnpm installs several times as fast as npm.
  await run(tool('pnpm'), ['install', '--ignore-scripts', '--prefer-offline'], copy)
  if (TEST_SERVERS in devDependencies) {
    await symlink(join(WORKSPACE, 'tests/servers'), join(copy, 'node_modules', TEST_SERVERS))
  }
}

function installedVersion(folder: string, dependency: string): string | undefined {
  return manifestOf(join(folder, 'node_modules', dependency)).version
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(WORKSPACE, folder, 'package.json'), 'utf8'))
}
