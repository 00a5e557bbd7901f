import { readFileSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
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

async function outsideTheWorkspace(
  dependencies: Dependencies,
  source: string,
  tarballs: Dependencies,
): Promise<Dependencies> {
  const entries = Object.keys(dependencies).map(async (name) => {
    return [name, tarballs[name] ?? (await installedVersion(source, name))] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

async function installedVersion(source: string, dependency: string): Promise<string> {
  return JSON.parse(await readFile(join(source, 'node_modules', dependency, 'package.json'), 'utf8')).version
}
