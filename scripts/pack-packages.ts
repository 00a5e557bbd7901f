import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run, tool, WORKSPACE } from './run.ts'

/** A packed public package. */
export interface PackedPackage {
  readonly name: string
  /** Its folder in the workspace. */
  readonly folder: string
  /** That of the workspace. The published one has no `devDependencies` and no scripts. */
  readonly manifest: PackageManifest
  /** The path of the tarball. */
  readonly tarball: string
  /** The paths of the files in the tarball. */
  readonly files: readonly string[]
}

interface PackageManifest {
  readonly name: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, unknown>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Packs every public package into `destination`. The packages must have been built. */
export async function packPackages(destination: string): Promise<PackedPackage[]> {
  const names = await readdir(join(WORKSPACE, 'packages'))
  const folders = names.map((name) => join(WORKSPACE, 'packages', name))
  const packages = await Promise.all(
    folders.map(async (folder) => {
      const manifest: PackageManifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
      return manifest.private ? [] : [await pack(folder, manifest, destination)]
    }),
  )
  return packages.flat()
}

async function pack(folder: string, manifest: PackageManifest, destination: string): Promise<PackedPackage> {
  const withHooks = `--config.pnpmfile=${join(WORKSPACE, 'scripts/published-manifest.cjs')}`
  const report = await run(tool('pnpm'), [withHooks, 'pack', '--json', '--pack-destination', destination], folder)
  const { filename, files }: { filename: string; files: { path: string }[] } = JSON.parse(report)
  return { name: manifest.name, folder, manifest, tarball: filename, files: files.map(({ path }) => path) }
}
