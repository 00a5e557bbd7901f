import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { WORKSPACE } from '../scripts/run.ts'

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

  it('lets no text of a stranger into a shell', () => {
    expect(text).not.toMatch(/\$\{\{ *github\.(event\.(?!_name)|head_ref)/)
  })

  it('runs scripts that there are', () => {
    const named = [...text.matchAll(/npm run (?<script>[\w:-]+)/g)].map(({ groups }) => groups?.['script'] ?? '')
    expect(named.filter((script) => !scripts.includes(script))).toEqual([])
  })
})
