import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { packPackages } from './pack-packages.ts'
import { type ChangedPackage, releaseNotes } from './release-notes.ts'

// Usage: node scripts/pack-for-release.ts <folder>, after `npm run build`. Writes the tarballs, `notes.md`, and `packages.tsv`: name
// and version, a tab, the file. Each package comes after its dependencies.
const folder = resolve(process.argv[2] ?? 'release')
await mkdir(folder, { recursive: true })
const packed = await packPackages(folder)
const releases = await Promise.all(packed.map(async (one) => ({ ...one, ...(await read(one.folder)) })))
const lines = byDependency(releases).map(({ name, version, tarball }) => `${name}@${version}\t${basename(tarball)}\n`)
await writeFile(join(folder, 'packages.tsv'), lines.join(''))
const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY = '' } = process.env
await writeFile(join(folder, 'notes.md'), releaseNotes(releases, `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`))

interface Release extends ChangedPackage {
  readonly dependencies?: Readonly<Record<string, string>>
}

async function read(packageFolder: string): Promise<Release> {
  const manifest = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  // Missing before the first release.
  const changelog = await readFile(join(packageFolder, 'CHANGELOG.md'), 'utf8').catch(() => '')
  return { ...manifest, changelog }
}

function byDependency<One extends Release>(waiting: readonly One[]): One[] {
  if (waiting.length === 0) return []
  const names = new Set(waiting.map(({ name }) => name))
  const isReady = ({ dependencies = {} }: One) => !Object.keys(dependencies).some((name) => names.has(name))
  const ready = waiting.filter(isReady)
  if (ready.length === 0) throw new Error(`${[...names].join(', ')} depend on one another.`)
  return [...ready, ...byDependency(waiting.filter((one) => !isReady(one)))]
}
