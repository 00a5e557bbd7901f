import { afterEach, describe, expect, it } from 'vitest'
import { jsonLines } from '../fixtures/json-lines.ts'
import { cleanUp } from '../fixtures/leftovers.ts'
import { notesIn, notesOf } from '../fixtures/local-copy.ts'
import { prepared } from '../fixtures/prepared.ts'
import { runNotewire, startNotewire } from '../fixtures/run-notewire.ts'
import { aSecret } from '../fixtures/secrets.ts'
import { unwrapped } from '../fixtures/unwrapped.ts'

afterEach(cleanUp)

describe('watch', () => {
  it('pulls first, and then shows changes of events before the next poll', async () => {
    const { service, running, database } = await watching(['--port', '0', '--register', '--poll', '24h'], 3)
    const note = service.owner.record({ title: 'Stand-up' }).end({ summary: false })
    const [line] = await running.saw(/\+ new .* {2}Stand-up .*/)
    expect(line).toContain(note.note_id)
    note.delete()
    await running.saw(new RegExp(`- (hidden|removed) .*${note.note_id}`))
    running.child.kill('SIGINT')
    expect((await running.ended).exitCode).toBe(0)
    expect(await notesIn(database)).toEqual(await notesOf(service))
    expect(service.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1)
  })

  it('shows a change once, when transcript and summary have been read', async () => {
    const { service, running } = await watching(['--port', '0', '--register', '--json'], 0)
    service.owner.record({ title: 'Stand-up' }).end({ summary: false })
    await running.saw(/"Stand-up"/)
    service.owner.record({ title: 'Retrospective' }).end({ summary: false })
    await running.saw(/"Retrospective"/)
    running.child.kill('SIGINT')
    const lines = jsonLines((await running.ended).stdout)
    expect(lines.map(({ change, title }) => [change, title])).toEqual([
      [undefined, undefined],
      ['added', 'Stand-up'],
      ['added', 'Retrospective'],
    ])
  })

  it('without a port polls, and also shows changes that other runs pull', async () => {
    const { service, running, cwd, env } = await watching(['--json'], 2)
    const [note] = service.owner.notes()
    note?.edit({ title: 'Another title' })
    await runNotewire(['pull'], { cwd, env })
    const [line] = await running.saw(/^.*Another title.*$/m)
    expect(JSON.parse(line)).toMatchObject({ change: 'content', note_id: note?.note_id, revision: note?.revision })
  })

  it('polls at the interval of --poll', async () => {
    const { service, running } = await watching(['--poll', '1s'], 2)
    service.owner.notes()[0]?.edit({ title: 'Another title' })
    await running.saw(/~ changed .*Another title/)
  })

  it('shows the changes since the previous run', async () => {
    const { service, running, cwd, env } = await watching(['--json'], 2)
    running.child.kill('SIGTERM')
    expect((await running.ended).exitCode).toBe(0)
    service.owner.record({ title: 'Meanwhile' }).end({ summary: false })
    const again = startNotewire(['watch', '--json'], { cwd, env })
    await again.saw(/"added".*Meanwhile/)
  })

  it('warns once when the service is down, and continues', async () => {
    const { service, running } = await watching(['--poll', '1s'], 2)
    const outage = service.faults.inject({ request: 'GET /v1/**', fault: { kind: 'status', status: 503 } })
    await running.saw(/warning[\s\S]*notewire\s+tries\s+again\./)
    outage[Symbol.dispose]()
    service.owner.record({ title: 'Afterwards' }).end({ summary: false })
    await running.saw(/Afterwards/)
  })

  it('ends with 4 and the reason when the key is revoked', async () => {
    const { service, env, cwd } = await prepared(1)
    const issued = service.owner.createIntegration().issueKey()
    const running = startNotewire(['watch', '--poll', '1s'], { cwd, env: { ...env, NOTES_API_KEY: issued.key } })
    await running.saw(/Watching 1 note/)
    issued.revoke()
    const { exitCode, stderr } = await running.ended
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('unauthorized') })
  })

  it('answers 401 to an unsigned request, and 404 to another path', async () => {
    const { env, cwd } = await prepared(1)
    const running = startNotewire(['watch', '--port', '0'], { cwd, env: { ...env, NOTES_SIGNING_SECRET: aSecret } })
    const [, url = ''] = await running.saw(/listening on (\S+)/)
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
    expect((await fetch(new URL('/other', url), { method: 'POST', body: '{}' })).status).toBe(404)
  })

  it('removes its endpoint when the terminal is closed, also if SIGHUP comes twice', async () => {
    const { service, running } = await watching(['--port', '0', '--register'], 1)
    await running.saw(/Watching/)
    running.child.kill('SIGHUP')
    running.child.kill('SIGHUP')
    expect((await running.ended).exitCode).toBe(0)
    expect(service.requests.at(-1)).toMatchObject({ method: 'DELETE', status: 204 })
  })

  it('ends without an error when its stdout is closed', async () => {
    const { service, running } = await watching(['--port', '0', '--register'], 1)
    running.child.stdout?.destroy()
    service.owner.record({ title: 'Stand-up' }).end({ summary: false })
    const { exitCode, stderr } = await running.ended
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('error') })
  })

  it.each([
    [['--register'], '--register needs --port'],
    [['--public-url', 'https://notes.example'], 'Add --register'],
    [['--poll', '10ms'], '--poll takes a second at least'],
  ])('%j ends with 2', async (args, complaint) => {
    const { exitCode, stderr } = await runNotewire(['watch', ...args])
    expect([exitCode, unwrapped(stderr)]).toEqual([2, expect.stringContaining(complaint)])
  })
})

async function watching(args: readonly string[], notes: number) {
  const found = await prepared(notes)
  const running = startNotewire(['watch', ...args], found)
  await running.saw(/Watching \d|"watching"/)
  return { ...found, running }
}
