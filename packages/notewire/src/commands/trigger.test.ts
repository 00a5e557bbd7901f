import type { NotesService } from '@notewire/mock-server'
import { ENDPOINT_EVENT_KINDS, NOTE_EVENT_KINDS, type WebhookEvent } from '@notewire/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { CLOSED_PORT } from '../../fixtures/closed-port.ts'
import { cleanUp } from '../../fixtures/leftovers.ts'
import { notesOf } from '../../fixtures/local-copy.ts'
import { mockService } from '../../fixtures/mock-service.ts'
import { runNotewire, startNotewire } from '../../fixtures/run-notewire.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterEach(cleanUp)

describe('trigger', () => {
  it.each([...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS])('causes %s', async (kind) => {
    const { service, env } = await mockService({ clock: 'virtual' })
    const events = await connected(service)
    events.length = 0
    const { exitCode, stderr } = await runNotewire(['trigger', kind, '--settle'], { env })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
    expect(events.map(({ event_type }) => event_type)).toContain(kind)
  })

  it('edits the note of --note, and leaves its content unchanged', async () => {
    const { service, env } = await mockService({ clock: 'virtual' })
    const content = 'Tea & "biscuits" <for> two\nand it’s fine'
    const note = service.owner.record({ title: 'Before', content }).end()
    const args = ['trigger', 'note.updated', '--note', note.note_id, '--title', 'After', '--json']
    const { stdout } = await runNotewire(args, { env })
    expect(JSON.parse(stdout)).toEqual({ schema_version: 1, event_type: 'note.updated', note_id: note.note_id })
    expect((await notesOf(service)).map((each) => each.note)).toMatchObject([{ title: 'After', content }])
  })

  it('sends note.deleted with the reason of --reason', async () => {
    const { service, env } = await mockService({ clock: 'virtual' })
    const events = await connected(service)
    await runNotewire(['trigger', 'note.deleted', '--reason', 'access_lost', '--settle'], { env })
    expect(events.at(-1)).toMatchObject({ event_type: 'note.deleted', data: { reason: 'access_lost' } })
  })

  it('edits a new note to the title of --title', async () => {
    const { service, env } = await mockService({ clock: 'virtual' })
    await runNotewire(['trigger', 'note.updated', '--title', 'After', '--settle'], { env })
    expect((await notesOf(service)).map(({ note }) => note.title)).toEqual(['After'])
  })

  it('needs no API key', async () => {
    const { service, env } = await mockService({ clock: 'virtual' })
    await service.connect(() => () => new Response(null, { status: 204 }))
    const { exitCode } = await runNotewire(['trigger', 'endpoint.verification'], {
      env: { NOTES_BASE_URL: env['NOTES_BASE_URL'] ?? '' },
    })
    expect(exitCode).toBe(0)
  })

  it.each([
    ['an unknown note', ['note.updated', '--note', 'note_absent'], 2],
    ['no endpoint', ['endpoint.test'], 1],
  ])('with %s ends with an error', async (_case, args, code) => {
    const { env } = await mockService()
    expect((await runNotewire(['trigger', ...args], { env })).exitCode).toBe(code)
  })

  it.each([
    ['note.ended', '--reason', 'access_lost'],
    ['note.ended', '--endpoint', 'whe_1'],
    ['endpoint.test', '--note', 'note_1'],
    ['note.deleted', '--note', 'note_1', '--title', 'x'],
  ])('rejects an option that has no effect: %s %s %s', async (...args) => {
    const { exitCode, stderr } = await runNotewire(['trigger', ...args])
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/--\w+ .*(is for|are for|works only)/)])
  })

  it('ends with 5 if nothing listens at the URL', async () => {
    const { exitCode, stderr } = await runNotewire(['trigger', 'note.ended', '--base-url', CLOSED_PORT])
    expect(exitCode).toBe(5)
    expect(unwrapped(stderr)).toContain(`there is no mock server at ${CLOSED_PORT}. Start one with notewire mock`)
  })
})

describe('mock', () => {
  it('prints its URL and key, which is another one at each start', async () => {
    const { base_url, api_key } = await started('7')
    const answer = await fetch(`${base_url}/v1/notes`, { headers: { authorization: `Bearer ${api_key}` } })
    expect((await answer.json()).notes).toHaveLength(3)
    expect((await started('7')).api_key).not.toBe(api_key)
  })

  it('ends with 1 if the port is taken', async () => {
    const { service } = await mockService()
    const { exitCode, stderr } = await runNotewire(['mock', '--port', new URL(service.baseUrl).port])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('EADDRINUSE')
  })
})

/** Connects a receiver. @returns the events that it gets */
async function connected(service: NotesService): Promise<WebhookEvent[]> {
  const events: WebhookEvent[] = []
  await service.connect(() => async (request) => {
    events.push(await request.json())
    return new Response(null, { status: 204 })
  })
  return events
}

async function started(seed: string): Promise<{ readonly base_url: string; readonly api_key: string }> {
  const running = startNotewire(['mock', '--port', '0', '--notes', '3', '--seed', seed, '--json'])
  const [line] = await running.saw(/^\{.*\}$/m)
  return JSON.parse(line)
}
