import assert from 'node:assert/strict'
import { exec, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { freePort } from 'notewire-test-servers'

const FRAMEWORKS = [
  { name: 'astro', build: 'astro build', start: 'node dist/server/entry.mjs' },
  { name: 'nuxt', build: 'nuxt build', start: 'node .output/server/index.mjs' },
  { name: 'react-router', build: 'react-router build', start: 'react-router-serve build/server/index.js' },
  { name: 'nest-fastify', build: undefined, start: 'node server.ts' },
] as const

for (const { name, build, start } of FRAMEWORKS) {
  it(`${name} receives`, async () => {
    const cwd = join(import.meta.dirname, '..', name)
    if (build !== undefined) await promisify(exec)(build, { cwd })

    await using service = await createNotesService()
    const { url: baseUrl } = await service.listen()
    const { webhookEndpoints } = new NotesClient({ baseUrl, apiKey: service.apiKey })
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/webhooks/notes`
    const { endpoint_id, signing_secret } = await webhookEndpoints.create({ url, events: ['note.ended'] })
    await using server = startServer(start, cwd, { PORT: `${port}`, NOTES_SIGNING_SECRET: signing_secret })
    await server.listens(port)
    // The server did not listen at the first verification. When the URL is set again, the service sends another.
    await webhookEndpoints.update(endpoint_id, { url })
    await webhookEndpoints.waitUntilActive(endpoint_id, { timeoutMs: 60_000 })

    const { note_id } = service.owner.record().end({ summary: false })
    await service.settled()
    assert.deepEqual(service.attempts.at(-1)?.outcome, { kind: 'answered', status: 204 })

    // A body that was parsed and serialised again would not have these bytes.
    const text = `  ${JSON.stringify(anEvent({ kind: 'note.ended', noteId: 'nöte-🎻' }), null, 3)}\r\n`
    const { headers, body } = await signAttempt(signing_secret, text)
    const deliver = async (body: string) => (await fetch(url, { method: 'POST', headers, body })).status
    assert.equal(await deliver(body), 204)
    assert.equal(await deliver(body), 204)
    assert.equal(await deliver(body.replace('nöte', 'note')), 401)

    const ended = (await server.stop()).match(/\S+(?= has ended)/g)
    assert.deepEqual(ended, [note_id, 'nöte-🎻'])
  })
}

function startServer(command: string, cwd: string, environment: Readonly<Record<string, string>>) {
  const [program = '', ...args] = command.split(' ')
  const env = { ...process.env, ...environment, HOST: '127.0.0.1', NODE_ENV: 'production' }
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text))
  const stop = async () => {
    child.kill()
    await closed
    return output
  }
  const answers = (port: number) => fetch(`http://127.0.0.1:${port}/`).then(Boolean, () => false)
  async function listens(port: number): Promise<void> {
    while (!(await answers(port))) {
      assert.equal(child.exitCode, null, output)
      await sleep(20)
    }
  }
  return { listens, stop, [Symbol.asyncDispose]: async () => void (await stop()) }
}
