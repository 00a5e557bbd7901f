import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signAttempt } from '@notewire/webhooks/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp, leave } from '../../fixtures/leftovers.ts'
import { startInTerminal, startNotewire } from '../../fixtures/run-notewire.ts'
import { aSecret } from '../../fixtures/secrets.ts'
import { listenForInterruption, ReaderGone } from './interruption.ts'

afterEach(cleanUp)

describe('a signal, such as that of Ctrl-C,', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s during a call ends the program with %i, without a stack', async (signal, exitCode) => {
    const { url, requested } = await serviceThatNeverAnswers()
    const running = startNotewire(['endpoints', 'list'], {
      env: { NOTES_BASE_URL: url, NOTES_API_KEY: 'ntw_live_k.secret' },
    })
    await requested
    running.child.kill(signal)
    expect(await running.ended).toEqual({ exitCode, stdout: '', stderr: 'Interrupted.\n' })
  })

  it('at the prompt for a secret also ends the program with 130', async () => {
    const running = startInTerminal(['endpoints', 'list'], {
      env: { NOTES_BASE_URL: 'http://127.0.0.1:9', TERM: 'xterm' },
    })
    await running.saw(/What is the API key/)
    running.type('\u0003')
    expect((await running.ended).exitCode).toBe(130)
  })

  it('a second time ends a program that is cleaning up', async () => {
    const { url, requested } = await serviceThatNeverAnswers('DELETE')
    const env = { NOTES_BASE_URL: url, NOTES_API_KEY: 'ntw_live_k.secret' }
    const running = startNotewire(['listen', '--port', '0', '--register'], { env })
    await running.saw(/Registered as/)
    running.child.kill('SIGINT')
    await requested
    running.child.kill('SIGINT')
    expect((await running.ended).exitCode).toBe(130)
  })

  it.each([
    ['SIGINT', 0],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends a command that runs until Ctrl-C with %i', async (signal, code) => {
    const running = startNotewire(['mock', '--port', '0'])
    await running.saw(/Ctrl-C stops it/)
    running.child.kill(signal)
    const { exitCode, stderr } = await running.ended
    expect(exitCode).toBe(code)
    expect(stderr).toMatch(/Stopped\.\n$/)
  })
})

describe('a program that closes the stdout that it reads', () => {
  it('ends the command with 0 and without an error', async () => {
    const running = startNotewire(['listen', '--port', '0'], { env: { NOTES_SIGNING_SECRET: aSecret } })
    const [, url = ''] = await running.saw(/Listening on (\S+)/)
    running.child.stdout?.destroy()
    await fetch(url, { method: 'POST', ...(await signAttempt(aSecret, '{}')) })
    const { exitCode, stderr } = await running.ended
    expect(exitCode).toBe(0)
    expect(stderr).not.toMatch(/error/i)
  })
})

it.each(['EPIPE', 'EOF'])('%s, with which a system reports a pipe that its reader closed, is not an error', (code) => {
  const streams = { stdin: new EventEmitter(), stdout: new EventEmitter(), stderr: new EventEmitter() }
  const closed = Object.assign(new EventEmitter(), streams) as unknown as NodeJS.Process
  const { signal } = listenForInterruption(closed, () => expect.fail('the process ended'))
  streams.stdout.emit('error', Object.assign(new Error(`write ${code}`), { code }))
  expect(signal.reason).toBeInstanceOf(ReaderGone)
})

/** A service that does not answer requests of one method. To others, it answers with an endpoint. */
async function serviceThatNeverAnswers(
  method = 'GET',
): Promise<{ readonly url: string; readonly requested: Promise<unknown> }> {
  const server = createServer((request, response) => {
    if (request.method === method) server.emit('unanswered', request)
    else response.writeHead(201).end(JSON.stringify({ endpoint_id: 'whe_1', signing_secret: aSecret }))
  })
  leave(() => {
    server.closeAllConnections()
    server.close()
  })
  const requested = once(server, 'unanswered')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requested }
}
