import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { anEvent, type SignedAttempt, signAttempt } from '@notewire/webhooks/testing'
import { freePort } from 'notewire-test-servers'
import type { Engine } from './engines.ts'
import { eventually, killAll, type Program, SECRET, start } from './processes.ts'

/** Defines the tests of the programs of an engine. */
export function testQueue(name: string, startEngine: () => Promise<Engine>): void {
  describe(name, () => {
    let engine: Engine
    let port: number
    before(async () => {
      engine = await startEngine()
      port = await freePort()
      start(engine.program, [], { ...engine.settings, ATTEMPTS: '2', PORT: String(port) })
      await eventually('the receiver listens', async () => (await post({ headers: {}, body: '' })) === 401)
    })
    after(async () => {
      await killAll()
      await engine.close()
    })

    function work(settings: Readonly<Record<string, string>> = {}): Program {
      return start(engine.program, ['work'], { ...engine.settings, ATTEMPTS: '2', SUMMARY_MS: '10', ...settings })
    }

    async function post(attempt: Pick<SignedAttempt, 'headers' | 'body'> | RequestInit): Promise<number> {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', ...attempt }).catch(() => undefined)
      return response?.status ?? 0
    }

    async function deliver(noteId: string, more: object = {}): Promise<number> {
      return await post(await signAttempt(SECRET, { ...anEvent({ kind: 'note.ended', noteId }), ...more }))
    }

    async function deadLetters(...args: string[]): Promise<readonly string[]> {
      const { lines, ended } = start(engine.deadLetters, args, engine.settings)
      assert.equal(await ended, 0)
      return lines
    }

    it('answers before a handler runs, and a worker runs it', async () => {
      assert.equal(await deliver('note_1'), 204)
      const worker = work()
      await eventually('the note is summarised', () => worker.lines.includes('summarised note_1'))
      await worker.end('SIGTERM')
    })

    it('gives an event to another worker if its worker is killed', async () => {
      const killed = work({ SUMMARY_MS: '600000' })
      assert.equal(await deliver('note_2'), 204)
      await eventually('the handler runs', () => killed.lines.includes('began note_2'))
      await killed.end('SIGKILL')
      const other = work()
      await eventually('the note is summarised', () => other.lines.includes('summarised note_2'))
      await other.end('SIGTERM')
    })

    it('runs each handler once, although every event is delivered twice, to two workers', async () => {
      const workers = [work(), work()]
      const notes = Array.from({ length: 100 }, (_, index) => `many_${index}`)
      const attempts = await Promise.all(
        notes.map((noteId) => signAttempt(SECRET, anEvent({ kind: 'note.ended', noteId }))),
      )
      const answers = await Promise.all([...attempts, ...attempts].map(post))
      assert.deepEqual(new Set(answers), new Set([204]))
      const summarised = () =>
        workers.flatMap(({ lines }) => lines.filter((line) => line.startsWith('summarised many')))
      await eventually('all notes are summarised', () => new Set(summarised()).size === notes.length)
      // The repeated events are still processed.
      await sleep(5_000)
      assert.equal(summarised().length, notes.length)
      await Promise.all(workers.map((worker) => worker.end('SIGTERM')))
    })

    it('keeps a dead letter without the message of the error, lists it, and replays it', async () => {
      const failing = work({ FAILING_NOTE: 'note_3' })
      assert.equal(await deliver('note_3'), 204)
      await eventually('there is a dead letter', async () => (await deadLetters()).length === 1)
      assert.equal(failing.lines.filter((line) => line === 'began note_3').length, 2)
      const [letter] = await deadLetters()
      assert.match(letter ?? '', /default note\.ended evt_.*the handler failed: RangeError\./)
      const kept = await engine.kept()
      assert.match(kept, /note_3/)
      assert.doesNotMatch(kept, /the model refused|webhook-signature|whsec_|v1,/)
      await failing.end('SIGTERM')
      const worker = work()
      await deadLetters('replay')
      await eventually('the note is summarised', () => worker.lines.includes('summarised note_3'))
      assert.deepEqual(await deadLetters(), [])
      await worker.end('SIGTERM')
    })

    it('runs the handler of an event with NUL and half of a surrogate pair in a field', async () => {
      const worker = work()
      assert.equal(await deliver('note_4', { remark: 'a\0b\ud800c' }), 204)
      await eventually('the note is summarised', () => worker.lines.includes('summarised note_4'))
      await worker.end('SIGTERM')
    })

    it('uses no attempt while the store fails', async () => {
      const repair = await engine.breakStore('note_5')
      const worker = work()
      assert.equal(await deliver('note_5'), 204)
      await sleep(8_000)
      assert.deepEqual(await deadLetters(), [])
      assert.deepEqual(worker.lines, ['waiting for events'])
      await repair()
      await eventually('the note is summarised', () => worker.lines.includes('summarised note_5'))
      await worker.end('SIGTERM')
    })

    it('processes no job of another integration, and none that is not an event', async () => {
      const worker = work()
      await engine.add({ integration: 'another', event: anEvent({ kind: 'note.ended', noteId: 'note_6' }) })
      await engine.add({ integration: 'default', event: { event_type: 'note.ended' } })
      await eventually('both are dead letters', async () => (await deadLetters()).length === 2)
      const letters = (await deadLetters()).join('\n')
      assert.match(letters, /it belongs to another integration/)
      assert.match(letters, /the job does not contain a valid event/)
      assert.deepEqual(worker.lines, ['waiting for events'])
      await worker.end('SIGTERM')
    })

    it('has the event after a crash of the server', async () => {
      assert.equal(await deliver('note_7'), 204)
      await engine.crashAndRestart()
      const worker = work()
      await eventually('the note is summarised', () => worker.lines.includes('summarised note_7'))
      await worker.end('SIGTERM')
    })

    it('answers 503 while the server is down', async () => {
      await engine.stop()
      await eventually('a delivery gets 503', async () => (await deliver('note_8')) === 503)
    })
  })
}
