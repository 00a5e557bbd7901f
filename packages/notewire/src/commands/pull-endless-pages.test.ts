import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { cleanUp } from '../../fixtures/leftovers.ts'
import { runNotewire } from '../../fixtures/run-notewire.ts'
import { temporaryFolder } from '../../fixtures/temporary-folder.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterEach(cleanUp)

it.each<[string, () => readonly unknown[]]>([
  ['empty pages', () => []],
  ['pages that repeat a note', () => [{ note_id: 'note_1', revision: 1, status: 'ended', ...NO_CONTENT }]],
])('a pull from a service that lists %s without an end gives up after --wait, and says why', async (_, notesOn) => {
  await using service = await endlessService(notesOn)
  const cwd = await temporaryFolder()
  const env = { NOTES_BASE_URL: service.baseUrl, NOTES_API_KEY: 'ntw_live_k1.secret' }
  const began = performance.now()
  const { exitCode, stdout, stderr } = await runNotewire(['pull', '--wait', '2s'], { cwd, env })
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(unwrapped(stderr)).toMatch(/pages in a row without a new note.*continue there.*\[listing_stalled\]/)
  expect(performance.now() - began).toBeLessThan(20_000)
  expect(service.pages()).toBeLessThan(400)
  expect(
    (await runNotewire(['pull', '--wait', '1s', '--database', join(cwd, 'notes.db')], { cwd, env })).exitCode,
  ).toBe(1)
})

const NO_CONTENT = { transcript_status: 'empty', summary_status: 'missing' }

async function endlessService(notesOn: () => readonly unknown[]) {
  let pages = 0
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    if (url.pathname === '/v1/notes') pages += 1
    const first = { note_id: 'note_1', revision: 1, status: 'ended', ...NO_CONTENT }
    const notes = url.searchParams.has('cursor') ? notesOn() : [first]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(url.pathname === '/v1/notes' ? { notes, next_cursor: `cursor ${pages}` } : first))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages: () => pages,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
