import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PackedPackage, packPackages } from '../scripts/pack-packages.ts'
import {
  followExactlyOnce,
  followNewTranscripts,
  followReadme,
  followTutorial,
  installAsNewcomer,
} from './newcomer/walk.ts'
import { startPostgres } from './servers/index.ts'

const TEN_MINUTES = 600_000

describe('a newcomer with an empty folder', () => {
  let folder: string
  let packed: readonly PackedPackage[]
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'notewire-newcomer-'))
    await mkdir(join(folder, 'tarballs'))
    packed = await packPackages(join(folder, 'tarballs'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('receives a note with the receiver of the README, syncs, and finds nothing wrong, within ten minutes including the installation', {
    timeout: TEN_MINUTES,
  }, async () => {
    const began = performance.now()
    const project = join(folder, 'readme')
    await installAsNewcomer(project, 'README.md', packed)
    const printed = await followReadme(project)
    expect(printed).toMatch(/note_\w+ .*note_\w+ [^\n]* ready\n/s)
    expect(printed).toMatch(/receiver\.ts: exit status 1\n.*EADDRINUSE/s)
    expect(printed).toMatch(/The receiver passes the checks that ran\.\n0 failed, 0 warned/)
    expect(performance.now() - began).toBeLessThan(TEN_MINUTES)
  })

  it('gets the promised result of each step of the tutorial', async () => {
    const project = join(folder, 'tutorial')
    await installAsNewcomer(project, 'docs/tutorial.md', packed)
    const printed = await followTutorial(project)
    expect(printed).toMatch(/The receiver passes the checks that ran\.\n0 failed, 0 warned/)
    expect(printed.match(/: transcript ready, summary \w+/g)?.length).toBeGreaterThan(1)
    expect(printed).toMatch(/2 notes were read/)
  })

  it('sees a new transcript with the program of the page on new transcripts', async () => {
    const project = join(folder, 'new-transcripts')
    await installAsNewcomer(project, 'docs/mirror/new-transcripts.md', packed)
    expect(await followNewTranscripts(project)).toMatch(/^listening on port \d+\n.*transcript of note_/s)
  })

  it('finds a note in the table of the page on transactions', async () => {
    await using postgres = await startPostgres()
    const project = join(folder, 'exactly-once')
    await installAsNewcomer(project, 'docs/receiving/exactly-once.md', packed)
    const printed = await followExactlyOnce(project, await postgres.createDatabase('app'))
    expect(JSON.parse(printed)).toMatchObject([
      { note_id: expect.stringMatching(/^note_/), transcript: expect.any(String) },
    ])
  })
})
