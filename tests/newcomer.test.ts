import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { followReadme, followTutorial, installAsNewcomer } from './newcomer/walk.ts'

const TEN_MINUTES = 600_000

describe('a newcomer with an empty folder', () => {
  let folder: string
  let installedMs: number
  beforeAll(async () => {
    const began = performance.now()
    folder = await mkdtemp(join(tmpdir(), 'notewire-newcomer-'))
    await installAsNewcomer(folder)
    installedMs = performance.now() - began
  }, TEN_MINUTES)
  afterAll(() => rm(folder, { recursive: true }))

  it('receives a verified delivery with the receiver of the README, and syncs, within ten minutes including the installation', async () => {
    const began = performance.now()
    const printed = await followReadme(folder)
    expect(printed).toMatch(/note_\w+ .*note_\w+ [^\n]* ready\n/s)
    expect(installedMs + performance.now() - began).toBeLessThan(TEN_MINUTES)
  })

  it('gets the promised result of each step of the tutorial', async () => {
    const printed = await followTutorial(folder)
    expect(printed).toMatch(/note_\w+: \d+ characters/)
    expect(printed).toMatch(/The receiver follows the contract\.\n0 failed, 0 warned/)
    expect(printed.match(/: transcript ready, summary \w+/g)?.length).toBeGreaterThan(1)
    expect(printed).toMatch(/2 notes were read/)
  })
})
