import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp } from '../fixtures/leftovers.ts'
import { runNotewire, startNotewire } from '../fixtures/run-notewire.ts'
import { temporaryFolder } from '../fixtures/temporary-folder.ts'
import { unwrapped } from '../fixtures/unwrapped.ts'

afterEach(cleanUp)

describe('mock --scenario', () => {
  it('creates the integrations and endpoints of the file, and performs its acts', async () => {
    const cwd = await temporaryFolder()
    await writeFile(join(cwd, 'scenario.json'), JSON.stringify(SCENARIO))
    const running = startNotewire(['mock', '--scenario', 'scenario.json', '--port', '0', '--notes', '1', '--json'], {
      cwd,
    })
    const [line] = await running.saw(/^\{.*\}$/m)
    const { base_url: baseUrl, keys, endpoints } = JSON.parse(line)
    expect(endpoints).toEqual([{ url: 'http://127.0.0.1:9/hook', signing_secret: expect.stringMatching(/^whsec_/) }])
    const client = new NotesClient({ baseUrl, apiKey: keys.reader })
    const titles = async () => {
      const found: unknown[] = []
      for await (const { title } of client.notes.list()) found.push(title)
      return found
    }
    await expect.poll(titles).toContain('From the file')
    expect(await titles()).toHaveLength(2)
  })

  it.each([
    ['does not exist', undefined, 1, /cannot be read|no such file/],
    ['is not a scenario', '{"acts": [{"do": "fly"}]}', 2, /acts/],
  ])('that %s ends with an explanation', async (_fault, content, code, words) => {
    const cwd = await temporaryFolder()
    if (content !== undefined) await writeFile(join(cwd, 'scenario.json'), content)
    const { exitCode, stderr } = await runNotewire(['mock', '--scenario', 'scenario.json', '--port', '0'], { cwd })
    expect([exitCode, unwrapped(stderr)]).toEqual([code, expect.stringMatching(words)])
  })
})

it.each([
  ['new notes and events at each start', [], false],
  ['the same notes and events with the same seed', ['--seed', '1'], true],
])('mock creates %s, with the same key and the same first notes', async (_what, args, isSame) => {
  const cwd = await temporaryFolder()
  const starts = [1, 2].map(async () => {
    const running = startNotewire(['mock', '--notes', '2', '--port', '0', '--json', ...args], { cwd })
    const { base_url: baseUrl, api_key: apiKey } = JSON.parse((await running.saw(/^\{.*\}$/m))[0])
    const first: string[] = []
    for await (const { note_id } of new NotesClient({ baseUrl, apiKey }).notes.list()) first.push(note_id)
    const ended = await runNotewire(['trigger', 'note.ended', '--json', '--base-url', baseUrl], { cwd })
    return { apiKey, first, created: JSON.parse(ended.stdout).note_id }
  })
  const [one, other] = await Promise.all(starts)
  expect(other).toMatchObject({ apiKey: one?.apiKey, first: one?.first })
  expect(other?.created === one?.created).toBe(isSame)
})

it('mock --accounts prints the key of each account as JSON', async () => {
  const running = startNotewire(['mock', '--accounts', '3', '--notes', '2', '--port', '0', '--json'], {
    cwd: await temporaryFolder(),
  })
  const [line] = await running.saw(/^\{.*\}$/m)
  const { base_url: baseUrl, api_key, accounts } = JSON.parse(line)
  expect(accounts.map(({ name }: { name: string }) => name)).toEqual(['owner-1', 'owner-2', 'owner-3'])
  expect(accounts[0].api_key).toBe(api_key)
  const ids = new Set<string>()
  for (const { api_key: apiKey } of accounts) {
    for await (const { note_id } of new NotesClient({ baseUrl, apiKey }).notes.list()) ids.add(note_id)
  }
  expect(ids.size).toBe(6)
})

const SCENARIO = {
  service: { seed: 7, notes: 40 },
  integrations: [{ name: 'reader', scopes: ['notes:read'] }],
  endpoints: [{ url: 'http://127.0.0.1:9/hook' }],
  acts: [
    { at: '1s', do: 'record', note: 'a', title: 'From the file' },
    { at: '2s', do: 'end', note: 'a' },
  ],
}
