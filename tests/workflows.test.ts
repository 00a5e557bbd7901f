import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
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
  it('pins every action to a commit, and says its version', () => {
    const uses = [...text.matchAll(/uses: (?<action>.+)$/gm)].map(({ groups }) => groups?.['action'] ?? '')
    expect(uses.length).toBeGreaterThan(0)
    expect(uses.filter((action) => !/^\.\/|^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
  })

  it('holds no secret', () => expect(text).not.toMatch(/secrets[.[:]/))

  it('permits nothing but what a job asks for', () => expect(text).toMatch(/^permissions: \{\}$/m))

  it('has every job say what it may do', () => {
    for (const job of jobsOf(text)) expect(job).toMatch(/^ {4}permissions:$/m)
  })

  it('sets up Node.js before it uses npm, where no container has it', () => {
    for (const job of jobsOf(text)) {
      const usesNpm = job.search(/^ +(- run: )?(npm|npx|node|\.github\/publish\.sh) /m)
      if (usesNpm === -1 || job.includes('container: node:')) continue
      expect(job.slice(0, usesNpm)).toContain('uses: actions/setup-node@')
    }
  })

  it('leaves no token in a checkout, where the code of others could read it', () => {
    for (const [, options] of text.matchAll(/uses: actions\/checkout@.*\n(?<options>( {8,}.*\n)*)/g)) {
      expect(options).toContain('persist-credentials: false')
    }
  })

  it('lets no text of a stranger into a shell', () => {
    expect(text).not.toMatch(/\$\{\{ *github\.(event\.(?!_name)|head_ref)/)
  })

  it('runs scripts that there are', () => {
    const named = [...text.matchAll(/npm run (?<script>[\w:-]+)/g)].map(({ groups }) => groups?.['script'] ?? '')
    expect(named.filter((script) => !scripts.includes(script))).toEqual([])
  })
})

function jobsOf(text: string): string[] {
  return text
    .slice(text.indexOf('\njobs:\n'))
    .split(/^(?= {2}\w+:$)/m)
    .slice(1)
}

describe('publishing', () => {
  it('proves to npm which workflow it is, and where nothing of ours or of others runs beside npm', () => {
    const jobs = workflows.flatMap(([, text]) => jobsOf(text)).filter((job) => job.includes('id-token: write'))
    expect(jobs.map((job) => job.trim().split(':')[0])).toEqual(['publish', 'deploy'])
    for (const job of jobs) expect(job).not.toMatch(/npm (run|install|ci)|npx/)
  })

  it('hands each tarball to npm by its full path, in their order, and leaves out what is published', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'notewire-publish-'))
    // As if `npm view` knew the first one alone.
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

it('release notes are what the changelogs say of the version, with links that lead to its files', () => {
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
