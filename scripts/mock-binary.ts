import { globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { run, tool, WORKSPACE } from './run.ts'

// Usage: node scripts/mock-binary.ts [folder], after `npm run build`. Writes the mock server as one file for machines of this kind, without
// Node.js: the file itself, the licences of what it contains, and an archive of both.
const folder = resolve(process.argv[2] ?? 'release')
const [program, licences] = ['notewire-mock-server', 'notewire-mock-server.LICENSES']
await mkdir(folder, { recursive: true })

const bun = join(WORKSPACE, 'tests/runtimes/node_modules/.bin/bun')
// A `.env` or a `bunfig.toml` in the folder where it is started belongs to another program.
const compile = ['build', '--compile', '--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig']
await run(bun, [...compile, 'packages/mock-server/dist/program.js', '--outfile', join(folder, program)], WORKSPACE)
await writeFile(join(folder, licences), await licencesOf('@notewire/mock-server...'))
const archive = `${program}-${process.platform}-${process.arch}.tar.gz`
await run('tar', ['-czf', archive, program, licences], folder)
console.log(`Wrote ${join(folder, program)} and ${join(folder, archive)}`)

interface Dependency {
  readonly name: string
  readonly license: string
  readonly homepage?: string
  /** The folder of each installed version. */
  readonly paths: readonly string[]
}

async function licencesOf(filter: string): Promise<string> {
  const listed = await run(tool('pnpm'), ['licenses', 'list', '--prod', '--json', '--filter', filter], WORKSPACE)
  const dependencies: Dependency[] = Object.values<Dependency[]>(JSON.parse(listed)).flat()
  const texts = dependencies.flatMap(({ name, license, homepage, paths }) =>
    paths.map(async (path) => {
      const [file] = globSync('LICEN[CS]E*', { cwd: path })
      return [`${name} (${license}) ${homepage ?? ''}`, file && (await readFile(join(path, file), 'utf8'))]
    }),
  )
  const own = await readFile(join(WORKSPACE, 'LICENSE'), 'utf8')
  const runtime =
    'Bun (MIT; it contains JavaScriptCore, LGPL-2, and other libraries) https://bun.com/docs/project/license'
  const parts = [['Notewire (MIT)', own], ...(await Promise.all(texts)), [runtime]]
  return parts.map((part) => `${part.filter(Boolean).join('\n\n').trim()}\n`).join(`\n${'-'.repeat(80)}\n\n`)
}
