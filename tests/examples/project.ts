import { readFileSync } from 'node:fs'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { PackedPackage } from '../../scripts/pack-packages.ts'
import { run, tool, WORKSPACE } from '../../scripts/run.ts'

type Dependencies = Readonly<Record<string, string>>

interface Manifest {
  readonly scripts?: { readonly test?: string }
  readonly dependencies?: Dependencies
  readonly devDependencies?: Dependencies
}

/** The command that tests the project in `folder`, if there is one. */
export function testScriptOf(folder: string): string | undefined {
  return manifestOf(folder).scripts?.test
}

/** Copies a project out of the workspace, and installs it there with the tarballs in place of our packages. */
export async function installCopy(folder: string, copy: string, packages: readonly PackedPackage[]): Promise<void> {
  await cp(join(WORKSPACE, folder), copy, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  const { dependencies = {}, devDependencies = {}, ...manifest } = manifestOf(folder)
  const tarballs = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const outside = async (given: Dependencies) =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(given)
          .filter(([name]) => name !== TEST_SERVERS)
          .map(async ([name, version]) => [
            name,
            tarballs[name] ?? (version === 'catalog:' ? await installedVersion(folder, name) : version),
          ]),
      ),
    )
  await writeFile(
    join(copy, 'package.json'),
    JSON.stringify({
      ...manifest,
      dependencies: await outside(dependencies),
      devDependencies: await outside(devDependencies),
    }),
  )
  // Our packages depend on one another, and no registry has them yet. npm, too, installs everything in one folder.
  await writeFile(join(copy, 'pnpm-workspace.yaml'), JSON.stringify({ overrides: tarballs, nodeLinker: 'hoisted' }))
  await run(tool('pnpm'), ['install', '--ignore-scripts', '--prefer-offline'], copy)
  if (TEST_SERVERS in devDependencies)
    await symlink(join(WORKSPACE, 'tests/servers'), join(copy, 'node_modules', TEST_SERVERS))
}

/** No registry has it. */
const TEST_SERVERS = 'notewire-test-servers'

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(WORKSPACE, folder, 'package.json'), 'utf8'))
}

async function installedVersion(folder: string, dependency: string): Promise<string> {
  const manifest = await readFile(join(WORKSPACE, folder, 'node_modules', dependency, 'package.json'), 'utf8')
  return JSON.parse(manifest).version
}
