import { NotesClient } from '@notewire/client'
import { afterEach, expect, it } from 'vitest'
import { cleanUp } from '../fixtures/leftovers.ts'
import { runNotewire, startNotewire } from '../fixtures/run-notewire.ts'
import { temporaryFolder } from '../fixtures/temporary-folder.ts'

afterEach(cleanUp)

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
