import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { type PackedPackage, packPackages } from '../../scripts/pack-packages.ts'
import { run, WORKSPACE } from '../../scripts/run.ts'

/** A clean npm project somewhere else, which has installed the tarballs of all packages. */
export interface Consumer {
  readonly folder: string
  readonly packages: readonly PackedPackage[]
}

/** Makes a {@link Consumer} of `consumer/`: with the tarballs, their peers, and the types that a TypeScript user has. */
export async function installConsumer(): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-consumer-'))
  const packages = await packPackages(folder)
  await cp(join(import.meta.dirname, 'consumer'), folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const surroundings = await Promise.all(packages.map(surroundingsOf))
  const types = await installedAt(WORKSPACE, ['@types/node'])
  const specifiers = [...packages.map(({ tarball }) => tarball), ...surroundings.flat(), ...types]
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...specifiers], folder)
  return { folder, packages }
}

/** Every entry that the packages export, as it is imported. */
export function exportedEntries({ packages }: Consumer): string[] {
  return packages.flatMap(({ name, manifest }) =>
    Object.keys(manifest.exports)
      .filter((path) => !/\.(json|sql)$/.test(path))
      .map((path) => join(name, path)),
  )
}

/** Every file of JSON that the packages export, as it is imported. */
export function exportedJson({ packages }: Consumer): string[] {
  return packages.flatMap(({ name, manifest, files }) =>
    Object.keys(manifest.exports)
      .filter((path) => path.endsWith('.json'))
      // `./vectors/*.json` stands for each of them.
      .flatMap((pattern) =>
        pattern.includes('*') ? files.filter((file) => matchesGlob(file, join(pattern))) : pattern,
      )
      .map((path) => join(name, path)),
  )
}

/** What a user brings: the frameworks that the package adapts to, and their types. */
function surroundingsOf({ folder, manifest }: PackedPackage): Promise<string[]> {
  const types = Object.keys(manifest.devDependencies ?? {}).filter((name) => name.startsWith('@types/'))
  return installedAt(folder, [...Object.keys(manifest.peerDependencies ?? {}), ...types])
}

/** The dependencies in the versions that the workspace has. */
function installedAt(folder: string, dependencies: readonly string[]): Promise<string[]> {
  return Promise.all(
    dependencies.map(async (dependency) => {
      const manifest = await readFile(join(folder, 'node_modules', dependency, 'package.json'), 'utf8')
      return `${dependency}@${JSON.parse(manifest).version}`
    }),
  )
}
