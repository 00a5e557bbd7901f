import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import { afterEach, expect, it } from 'vitest'
import { cleanUp } from '../../fixtures/leftovers.ts'
import { runNotewire, startNotewire } from '../../fixtures/run-notewire.ts'
import { temporaryFolder } from '../../fixtures/temporary-folder.ts'

afterEach(cleanUp)

it.each([
  ['new notes and events at each start', [], false],
  ['the same notes and events with the same seed', ['--seed', '1'], true],
])('mock creates %s, with the same first notes and another key', async (_what, args, isSame) => {
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
  expect(other?.first).toEqual(one?.first)
  expect(other?.apiKey).not.toBe(one?.apiKey)
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

it('mock --api-key-file accepts the key of the file, makes one if there is no file, and prints where it is', async () => {
  const cwd = await temporaryFolder()
  const start = async (file: string) => {
    const running = startNotewire(['mock', '--port', '0', '--api-key-file', file], { cwd })
    const [, baseUrl = ''] = await running.saw(/Base URL +(\S+)[\s\S]*Ctrl-C stops it/)
    const env = { NOTES_BASE_URL: baseUrl, NOTES_API_KEY_FILE: file }
    expect((await runNotewire(['api', 'GET', '/v1/notes'], { cwd, env })).exitCode).toBe(0)
    running.child.kill('SIGINT')
    const { stdout } = await running.ended
    expect(stdout).not.toContain((await readFile(join(cwd, file), 'utf8')).trim())
    return stdout
  }
  expect(await start('made.key')).toContain('export NOTES_API_KEY_FILE=made.key\n')
  await writeFile(join(cwd, "it's mine"), 'acme_live_k7.s3cret\n', { mode: 0o600 })
  expect(await start("it's mine")).toContain("export NOTES_API_KEY_FILE='it'\\''s mine'\n")
})
