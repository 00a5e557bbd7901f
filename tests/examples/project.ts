import { readFileSync } from 'node:fs'
import { cp, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { PackedPackage } from '../../scripts/pack-packages.ts'
import { WORKSPACE } from '../../scripts/run.ts'

type Dependencies = Readonly<Record<string, string>>

/** The command that tests the project in `folder`, if there is one. */
export function testScriptOf(folder: string): string | undefined {
  return JSON.parse(readFileSync(join(WORKSPACE, folder, 'package.json'), 'utf8')).scripts?.test
}

/** Copies a project out of the workspace, with the tarballs in place of our packages. */
export async function copyProject(folder: string, copy: string, packages: readonly PackedPackage[]): Promise<void> {
  const source = join(WORKSPACE, folder)
  await cp(source, copy, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  const tarballs = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const outside = (dependencies: Dependencies = {}) => outsideTheWorkspace(dependencies, source, tarballs)
  await writeFile(
    join(copy, 'package.json'),
    JSON.stringify({
      ...manifest,
      dependencies: await outside(manifest.dependencies),
      devDependencies: await outside(manifest.devDependencies),
      // Our packages depend on one another, and no registry has them yet.
      overrides: tarballs,
    }),
  )
}

/** Links the unpublished packages of the workspace that the tests use, such as the test servers, into an installed copy. */
export async function linkUnpublished(folder: string, copy: string): Promise<void> {
  const source = join(WORKSPACE, folder)
  const { devDependencies = {} } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  for (const name of Object.keys(devDependencies)) {
    const { manifest, path } = await installed(source, name)
    if (manifest.private) await symlink(path, join(copy, 'node_modules', name))
  }
}

async function outsideTheWorkspace(
  dependencies: Dependencies,
  source: string,
  tarballs: Dependencies,
): Promise<Dependencies> {
  const entries = Object.keys(dependencies).map(async (name): Promise<readonly [string, string][]> => {
    const { manifest } = await installed(source, name)
    return manifest.private ? [] : [[name, tarballs[name] ?? manifest.version]]
  })
  return Object.fromEntries((await Promise.all(entries)).flat())
}

async function installed(source: string, dependency: string): Promise<InstalledPackage> {
  const path = await realpath(join(source, 'node_modules', dependency))
  return { path, manifest: JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) }
}

interface InstalledPackage {
  readonly path: string
  readonly manifest: { readonly version: string; readonly private?: boolean }
}
