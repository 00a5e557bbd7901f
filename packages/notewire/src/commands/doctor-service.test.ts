import { afterEach, describe, expect, it } from 'vitest'
import { closedPort } from '../fixtures/closed-port.ts'
import { cleanUp } from '../fixtures/leftovers.ts'
import { mockService } from '../fixtures/mock-service.ts'
import { runNotewire } from '../fixtures/run-notewire.ts'

afterEach(cleanUp)

describe('doctor --service', () => {
  it('tells where a service does something else, and which options fit it, and changes nothing', async () => {
    const { service, env } = await mockService({ notes: 3, contract: { notesField: 'items' } })
    const { NOTES_BASE_URL: baseUrl = '', ...key } = env
    const { exitCode, stdout, stderr } = await runNotewire(['doctor', '--service', baseUrl], { env: key })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('error') })
    expect(stdout).toContain("notesField: 'items'")
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100)
    expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
  })

  it('with --write and --json creates an endpoint, deletes it, and prints one report', async () => {
    const { service, env } = await mockService({ notes: 1 })
    const { NOTES_BASE_URL: baseUrl = '', ...key } = env
    const { exitCode, stdout, stderr } = await runNotewire(['doctor', '--service', baseUrl, '--write', '--json'], {
      env: key,
    })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ fits: true, points: expect.any(Array) })
    const created = service.requests.filter(({ method, status }) => method === 'POST' && status === 201)
    const deleted = service.requests.filter(({ method, status }) => method === 'DELETE' && status === 204)
    expect(deleted).toHaveLength(created.length)
    expect(created.length).toBeGreaterThan(0)
  })

  it('ends with 4 when the key is refused, and with 5 when nothing listens there', async () => {
    const { env } = await mockService()
    const wrong = { NOTES_API_KEY: 'ntw_live_nobody.secretsecret' }
    const refused = await runNotewire(['doctor', '--service', env['NOTES_BASE_URL'] ?? ''], { env: wrong })
    expect(refused.exitCode).toBe(4)
    expect((await runNotewire(['doctor', '--service', await closedPort()], { env: wrong })).exitCode).toBe(5)
  })

  it.each([
    [['http://localhost:1/hook', '--service', 'http://localhost:2'], 'one after the other'],
    [['--write'], '--write goes with --service'],
    [['--service', 'http://localhost:2', '--endpoint-url', 'http://localhost:1'], 'Add --write'],
  ])('%j ends with 2', async (args, complaint) => {
    const { exitCode, stderr } = await runNotewire(['doctor', ...args])
    expect({ exitCode, stderr: stderr.replace(/\s+/g, ' ') }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(complaint),
    })
  })
})
