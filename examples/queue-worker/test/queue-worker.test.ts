import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { Redis } from 'ioredis'
import { freePort, type Redis as RedisServer, startRedis } from 'notewire-test-servers'

const SECRET = 'whsec_dGhlIHNlY3JldCBvZiBhIHRlc3QsIGFuZCBubyBvdGhlcg'

let server: RedisServer
let port: number
let redis: Redis
const started: ChildProcess[] = []

before(async () => {
  server = await startRedis({ durable: true })
  redis = new Redis(server.url)
  port = await freePort()
  start('web.ts')
  await eventually(listening)
})
after(async () => {
  for (const child of started) await kill(child)
  redis.disconnect()
  await server.stop()
})

it('answers immediately, and a worker runs the handler', async () => {
  assert.equal(await deliver('note_1'), 204)
  assert.equal(await redis.hexists('begun', 'note_1'), 0)
  start('worker.ts', { SUMMARY_MS: '300' })
  await eventually(async () => (await redis.hget('summaries', 'note_1')) === 'A summary of note_1.')
})

it('runs the handler again in another worker if the first was killed', async () => {
  await kill(started.at(-1))
  const killed = start('worker.ts', { SUMMARY_MS: '600000' })
  assert.equal(await deliver('note_2'), 204)
  await eventually(async () => (await redis.hget('begun', 'note_2')) === '1')
  start('worker.ts', { SUMMARY_MS: '300' })
  await kill(killed)
  await eventually(async () => (await redis.hexists('summaries', 'note_2')) === 1)
  assert.equal(await redis.hget('begun', 'note_2'), '2')
})

it('answers 503 while Redis is down', async () => {
  await server.stop()
  assert.equal(await deliver('note_3'), 503)
})

function start(program: string, settings: Readonly<Record<string, string>> = {}): ChildProcess {
  const env = { ...process.env, ...settings, REDIS_URL: server.url, NOTES_SIGNING_SECRET: SECRET, PORT: String(port) }
  const path = join(import.meta.dirname, '../src', program)
  const child = spawn(process.execPath, [...process.execArgv, path], { env, stdio: 'ignore' })
  started.push(child)
  return child
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function deliver(noteId: string): Promise<number> {
  const event = anEvent({ kind: 'note.ended', noteId })
  const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', ...(await signAttempt(SECRET, event)) })
  return status
}

function listening(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answer = (open: boolean) => {
      socket.destroy()
      resolve(open)
    }
    socket.on('connect', () => answer(true)).on('error', () => answer(false))
  })
}

async function eventually(check: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = Date.now() + 100_000; !(await check()); await sleep(50)) {
    assert.ok(Date.now() < giveUpAt, 'it has not happened within 100 s')
  }
}
