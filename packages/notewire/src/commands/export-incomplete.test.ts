import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import { systemClock } from '@notewire/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { jsonLines } from '../../fixtures/json-lines.ts'
import { cleanUp } from '../../fixtures/leftovers.ts'
import { prepared, receivedRequests, silentFrom } from '../../fixtures/prepared.ts'
import { runNotewire, startNotewire } from '../../fixtures/run-notewire.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'
import { gapsIn } from '../local-copy/gaps.ts'
import { keepCopy } from '../local-copy/local-copy.ts'
import { exportFolder } from './export/export-folder.ts'
import { exportLines } from './export/json-lines.ts'

afterEach(cleanUp)

/** A copy of 150 notes whose first pull was interrupted. The second page is the second request. */
async function interrupted(signal: 'SIGKILL' | 'SIGINT', request: number) {
  const { service, env, cwd } = await prepared(150)
  silentFrom(service, request)
  const running = startNotewire(['pull'], { cwd, env })
  await receivedRequests(service, request)
  running.child.kill(signal)
  expect((await running.ended).exitCode).toBe(signal === 'SIGINT' ? 130 : null)
  return { cwd }
}

const INTERRUPTIONS = [
  ['SIGKILL', 'listing', 3, 'The first pull has not ended'],
  ['SIGINT', 'reading', 160, 'still to be read'],
] as const

describe.each(INTERRUPTIONS)('after %s at a pull that was %s', (signal, _doing, request, gap) => {
  it('an export of any format says that it is incomplete, and ends with 1', async () => {
    const { cwd } = await interrupted(signal, request)
    const folder = await runNotewire(['export', 'notes', '--json'], { cwd })
    expect({ exitCode: folder.exitCode, stderr: unwrapped(folder.stderr) }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(gap),
    })
    const { files, complete } = JSON.parse(folder.stdout)
    expect([files > 0, complete]).toEqual([true, false])

    const file = await runNotewire(['export', 'notes.jsonl', '--format', 'jsonl'], { cwd })
    expect([file.exitCode, unwrapped(file.stderr)]).toEqual([1, expect.stringContaining(gap)])
    expect(file.stdout).toMatch(/^! \d+ notes in notes\.jsonl/)
    const { position } = jsonLines(await readFile(join(cwd, 'notes.jsonl'), 'utf8')).at(-1)

    const later = await runNotewire(['export', '-', '--format', 'jsonl', '--after', position], { cwd })
    expect({ ...later, stderr: unwrapped(later.stderr) }).toEqual({
      ...{ exitCode: 1, stdout: '' },
      stderr: expect.stringContaining(gap),
    })
  })

  it('search and explain warn, and status ends with 1', async () => {
    const { cwd } = await interrupted(signal, request)
    const search = await runNotewire(['search', 'nothingcontainsthis', '--json'], { cwd })
    expect([search.exitCode, unwrapped(search.stderr)]).toEqual([0, expect.stringContaining(gap)])
    const explain = await runNotewire(['explain', 'note_unknown'], { cwd })
    expect([explain.exitCode, unwrapped(explain.stderr)]).toEqual([1, expect.stringContaining(gap)])
    const status = await runNotewire(['status', '--json'], { cwd })
    expect([status.exitCode, JSON.parse(status.stdout).ok]).toEqual([1, false])
  })
})

describe('an export is complete', () => {
  it.each([
    ['transcripts', ['notes:read', 'summaries:read'], 'transcripts:read'],
    ['transcripts and summaries', ['notes:read'], 'summaries:read'],
  ] as const)('if the key may not read %s, and pull says so', async (_parts, scopes, missing) => {
    const { service, env, cwd } = await prepared(3)
    const { key } = service.owner.createIntegration().issueKey({ scopes })
    const pull = await runNotewire(['pull'], { cwd, env: { ...env, NOTES_API_KEY: key } })
    expect([pull.exitCode, unwrapped(pull.stderr)]).toEqual([0, expect.stringContaining(`with the scope ${missing}`)])
    const { exitCode, stdout, stderr } = await runNotewire(['export', 'notes', '--json'], { cwd })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ files: 3, complete: true })
    expect(JSON.parse(stdout)).not.toHaveProperty('incomplete')
  })

  it('if content is failed or empty', async () => {
    const { service, cwd } = await prepared(2)
    const fetch = async (request: Request) => {
      if (/\/(?:transcript|summary)$/.test(new URL(request.url).pathname)) return new Response('{}', { status: 404 })
      const answer = await service.fetch(request)
      const text = (await answer.text())
        .replaceAll(/"transcript_status":"\w+"/g, '"transcript_status":"empty"')
        .replaceAll(/"summary_status":"\w+"/g, '"summary_status":"failed"')
      return new Response(text, { status: answer.status })
    }
    const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch, maxRetries: 0 })
    await keepCopy(fileIn(cwd), { client, agrees: async () => true }, { clock: systemClock }, async ({ mirror }) => {
      await mirror.sync()
      const status = await mirror.status()
      expect([status.notes.live, gapsIn(status, fileIn(cwd))]).toEqual([2, []])
    })
  })
})

const fileIn = (cwd: string) => {
  const absolute = join(cwd, 'notes.db')
  return { shown: 'notes.db', label: 'notes.db', absolute, integration: 'default', pull: 'notewire pull' }
}

it('an export counts the notes that it wrote without their current content, because a pull may run at the same time', async () => {
  const { service, cwd } = await prepared(3)
  service.faults.inject({ request: 'GET /v1/notes/*/transcript', calls: [1], fault: { kind: 'status', status: 500 } })
  const client = new NotesClient({
    baseUrl: service.baseUrl,
    apiKey: service.apiKey,
    fetch: service.fetch,
    maxRetries: 0,
  })
  await keepCopy(fileIn(cwd), { client, agrees: async () => true }, { clock: systemClock }, async ({ mirror }) => {
    await mirror.sync()
    const silent = { signal: AbortSignal.timeout(60_000), onProgress: () => undefined }
    const folder = { ...silent, folder: join(cwd, 'notes'), integration: 'default', shown: 'notes' }
    expect(await exportFolder(mirror, folder)).toMatchObject({ files: 3, incomplete: 1 })
    const lines = await exportLines(mirror, async () => undefined, { ...silent, after: undefined })
    expect(lines).toMatchObject({ lines: 3, incomplete: 1 })
  })
})
