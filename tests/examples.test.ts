import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PackedPackage, packPackages } from '../scripts/pack-packages.ts'
import { run, WORKSPACE } from '../scripts/run.ts'
import { installCopy, testScriptOf } from './examples/project.ts'
import { isInstalled } from './servers/is-installed.ts'

const folders = globSync('examples/*/package.json', { cwd: WORKSPACE }).map((manifest) => join(manifest, '..'))
// In CI no example is skipped: a missing server fails there.
const needsRedis = ['examples/queues', 'examples/recipes']
const needsChromium = ['examples/accounts-express', 'examples/playwright-with-mock']
const projects = folders
  .filter((folder) => testScriptOf(folder) !== undefined)
  .filter((folder) => !needsRedis.includes(folder) || isInstalled('redis-server'))
  .filter((folder) => !needsChromium.includes(folder) || isInstalled('chromium'))
  .sort()

const ENVIRONMENT = {
  CHROMIUM: '/usr/bin/chromium',
  // Without it, Prisma downloads an engine, which it does not need to generate its client.
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
}

let destination: string
let packages: readonly PackedPackage[]
beforeAll(async () => {
  destination = await mkdtemp(join(tmpdir(), 'notewire-examples-'))
  packages = await packPackages(destination)
})
afterAll(() => rm(destination, { recursive: true }))

it('finds the projects', () => {
  expect(projects).toEqual(expect.arrayContaining(['examples/express', 'examples/vitest-with-mock']))
})

it.concurrent.for(projects)('%s passes its own tests with the packed packages', async (project) => {
  const copy = join(destination, project)
  await installCopy(project, copy, packages)
  await run('npm', ['test'], copy, ENVIRONMENT)
})
