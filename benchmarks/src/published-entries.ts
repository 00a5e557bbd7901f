import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WORKSPACE } from '../../scripts/run.ts'

/** An import specifier, and the folder from which it resolves. */
export interface Entry {
  readonly name: string
  readonly folder: string
}

/** Every entry that our packages export. From its own folder, a package's name resolves to `dist`. */
export async function publishedEntries(): Promise<readonly Entry[]> {
  const packages = join(WORKSPACE, 'packages')
  const entries = await Promise.all((await readdir(packages)).map((name) => entriesOf(join(packages, name))))
  return entries.flat()
}

/** An installed third-party package. */
export function peerEntry(name: string): Entry {
  return { name, folder: join(import.meta.dirname, '..') }
}

async function entriesOf(folder: string): Promise<readonly Entry[]> {
  const manifest: Manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  if (manifest.private) return []
  return Object.keys(manifest.exports)
    .filter((path) => !/\.(json|sql)$/.test(path))
    .map((path) => ({ name: join(manifest.name, path), folder }))
}

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, unknown>>
}
