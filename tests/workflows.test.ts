import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { releaseNotes } from '../scripts/release-notes.ts'
import { run, WORKSPACE } from '../scripts/run.ts'

const workflows = globSync('.github/workflows/*.yml', { cwd: WORKSPACE }).map(
  (file) => [file, readFileSync(join(WORKSPACE, file), 'utf8')] as const,
)
const scripts = Object.keys(JSON.parse(readFileSync(join(WORKSPACE, 'package.json'), 'utf8')).scripts)

it('finds the workflows', () => {
  expect(workflows.map(([file]) => file).sort()).toEqual([
    '.github/workflows/ci.yml',
    '.github/workflows/release.yml',
    '.github/workflows/site.yml',
  ])
})

describe.each(workflows)('%s', (_file, text) => {
  it('pins every action to a commit, with its version in a comment', () => {
    const uses = [...text.matchAll(/uses: (?<action>.+)$/gm)].map(({ groups }) => groups?.['action'] ?? '')
    expect(uses.length).toBeGreaterThan(0)
    expect(uses.filter((action) => !/^\.\/|^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
  })

  it('contains no secret', () => expect(text).not.toMatch(/secrets[.[:]/))

  it('grants no permission by default', () => expect(text).toMatch(/^permissions: \{\}$/m))

  it('ends every job within half an hour', () => {
    for (const job of jobsOf(text).filter((each) => each.includes('runs-on:'))) {
      expect(Number(job.match(/^ {4}timeout-minutes: (?<minutes>\d+)$/m)?.groups?.['minutes'])).toBeLessThan(30)
    }
  })

  it('declares the permissions of every job', () => {
    for (const job of jobsOf(text)) expect(job).toMatch(/^ {4}permissions:$/m)
  })

  it('sets up Node.js before npm, except in containers with Node.js', () => {
    for (const job of jobsOf(text)) {
      const usesNpm = job.search(/^ +(- run: )?(npm|npx|node|\.github\/publish\.sh) /m)
      if (usesNpm === -1 || /^ +image: node:/m.test(job)) continue
      expect(job.slice(0, usesNpm)).toContain('uses: actions/setup-node@')
    }
  })

  it('leaves no token in a checkout, where third-party code could read it', () => {
    for (const [, options] of text.matchAll(/uses: actions\/checkout@.*\n(?<options>( {8,}.*\n)*)/g)) {
      expect(options).toContain('persist-credentials: false')
    }
  })

  it('passes no untrusted text to a shell', () => {
    expect(text).not.toMatch(/\$\{\{ *github\.(event\.(?!_name)|head_ref)/)
  })

  it('runs only existing scripts', () => {
    const named = [...text.matchAll(/npm run (?<script>[\w:-]+)/g)].map(({ groups }) => groups?.['script'] ?? '')
    expect(named.filter((script) => !scripts.includes(script))).toEqual([])
  })
})

function jobsOf(text: string): string[] {
  return text
    .slice(text.indexOf('\njobs:\n'))
    .split(/^(?= {2}[\w-]+:$)/m)
    .slice(1)
}

describe('pnpm', () => {
  const textOf = (file: string) => readFileSync(join(WORKSPACE, file), 'utf8')
  const { packages } = JSON.parse(textOf('scripts/pnpm/package-lock.json'))

  it('is installed in one version, by the hashes of a lock', () => {
    const { setup } = JSON.parse(textOf('package.json')).scripts
    expect(setup).toContain('npm install --prefix scripts/pnpm ')
    expect(setup).not.toContain('npx')
    const { version, integrity } = packages['node_modules/pnpm']
    expect(version).toBe(parse(textOf('pnpm-workspace.yaml')).catalog.pnpm)
    expect(integrity).toBe(parse(textOf('pnpm-lock.yaml')).packages[`pnpm@${version}`].resolution.integrity)
  })

  it('and its program for the machines of CI have a hash', () => {
    const installed = ['node_modules/pnpm', 'node_modules/@pnpm/exe.linux-x64']
    expect(installed.filter((path) => !packages[path]?.integrity?.startsWith('sha512-'))).toEqual([])
  })

  it('installs every version that Dependabot proposes', () => {
    const { updates }: { readonly updates: readonly { readonly cooldown: { readonly 'default-days': number } }[] } =
      parse(textOf('.github/dependabot.yml'))
    const { minimumReleaseAge } = parse(textOf('pnpm-workspace.yaml'))
    for (const { cooldown } of updates) expect(cooldown['default-days'] * 1_440).toBeGreaterThan(minimumReleaseAge)
  })
})

describe('publishing', () => {
  it('uses the identity of its workflow, in a job that runs only npm', () => {
    const jobs = workflows.flatMap(([, text]) => jobsOf(text)).filter((job) => job.includes('id-token: write'))
    expect(jobs.map((job) => job.trim().split(':')[0])).toEqual(['publish', 'deploy'])
    for (const job of jobs) expect(job).not.toMatch(/npm (run|install|ci)|npx/)
  })

  it('publishes each tarball by its full path, in order, and skips published versions', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'notewire-publish-'))
    // A fake `npm view` that finds only the first package.
    const npm = '#!/bin/sh\ncase "$*" in "view one"*) ;; view*) exit 1 ;; *) echo "$@" ;; esac\n'
    await writeFile(join(folder, 'npm'), npm, { mode: 0o755 })
    await writeFile(join(folder, 'packages.tsv'), 'one@1.0.0\tone.tgz\ntwo@1.0.0\ttwo.tgz\nthree@1.0.0\tthree.tgz\n')
    const script = join(WORKSPACE, '.github/publish.sh')
    const printed = await run('bash', ['-c', `PATH="$PWD:$PATH" '${script}' . --dry-run`], folder)
    expect(printed.trim().split('\n')).toEqual([
      'one@1.0.0 is published already',
      `publish ${folder}/two.tgz --access public --dry-run`,
      `publish ${folder}/three.tgz --access public --dry-run`,
    ])
    await rm(folder, { recursive: true })
  })
})

it("release notes contain the version's entries of the changelogs, with links to its files", () => {
  const changelog = '# one\n\n## 0.2.0\n\n### Minor Changes\n\n- [New](../../docs/new.md)\n\n## 0.1.0\n\n- Old\n'
  const packages = [
    { name: 'one', version: '0.2.0', changelog },
    { name: 'unchanged', version: '0.2.0', changelog: '# unchanged\n\n## 0.2.0\n\n## 0.1.0\n\n- Old\n' },
    { name: 'first', version: '0.2.0', changelog: '' },
  ]
  expect(releaseNotes(packages, 'https://git.example/notes')).toBe(
    '## one\n\n### Minor Changes\n\n- [New](https://git.example/notes/blob/v0.2.0/docs/new.md)\n',
  )
})
