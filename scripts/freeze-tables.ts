import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freezeTables } from '../tests/tables/freeze.ts'
import { WORKSPACE } from './run.ts'

// Usage: npm run tables:freeze, after `changeset version`, or npm run tables:freeze -- <version> before it. Writes the tables of the
// stores to tests/tables/<version>/, unless an earlier version has the same tables.
const folder = join(WORKSPACE, 'tests/tables')
const version = process.argv[2] ?? (await versionOfPackages())
const files = await freezeTables()
const same = await versionWithSameTables()
if (same === undefined) {
  // Fails if the folder exists: the tables of a release never change.
  await mkdir(join(folder, version)).catch(() => {
    throw new Error(
      `tests/tables/${version} has other tables. Raise the version; if ${version} was never published, delete the folder first.`,
    )
  })
  for (const [name, text] of files) await writeFile(join(folder, version, name), text)
  console.log(`The tables of ${version} are in tests/tables/${version}. Commit them.`)
} else {
  console.log(`The tables of ${version} equal those of ${same}. Nothing was written.`)
}

async function versionWithSameTables(): Promise<string | undefined> {
  const entries = await readdir(folder, { withFileTypes: true })
  const versions = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  for (const earlier of versions) {
    const texts = await Promise.all(
      [...files.keys()].map((name) => readFile(join(folder, earlier, name), 'utf8').catch(() => '')),
    )
    if (texts.every((text, place) => text === [...files.values()][place])) return earlier
  }
  return undefined
}

async function versionOfPackages(): Promise<string> {
  const manifest: { version: string } = JSON.parse(
    await readFile(join(WORKSPACE, 'packages/webhooks/package.json'), 'utf8'),
  )
  return manifest.version
}
