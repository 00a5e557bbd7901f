import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { eventually, SECRET } from './processes.ts'

const folder = join(import.meta.dirname, '..')
const configuration = JSON.parse(readFileSync(join(folder, 'wrangler.json'), 'utf8'))
const [consumer] = configuration.queues.consumers

/** The notes for which the model was called. */
const called: string[] = []
/** How often the model still refuses a note. */
const refusals = new Map<string, number>()

let workerd: Miniflare
let url: URL

before(async () => {
  workerd = new Miniflare(await deployment())
  url = await workerd.ready
})
after(() => workerd.dispose())

it('answers before the handler runs, which runs once for repeated deliveries', async () => {
  const attempt = await signAttempt(SECRET, anEvent({ kind: 'note.ended', noteId: 'note_1' }))
  const answers = await Promise.all(
    Array.from({ length: 5 }, async () => (await fetch(url, { method: 'POST', ...attempt })).status),
  )
  assert.deepEqual(answers, [204, 204, 204, 204, 204])
  await eventually('the model was called', () => called.includes('note_1'))
  assert.equal(called.filter((noteId) => noteId === 'note_1').length, 1)
})

it('makes a dead letter of an event whose attempts have failed, which runs again once it is replayed', async () => {
  refusals.set('note_2', 2)
  assert.equal(await deliver('note_2'), 204)
  await eventually('the model was called again', () => called.filter((noteId) => noteId === 'note_2').length === 3)
})

it('processes no message of another integration, and none that is not an event', async () => {
  const queue = await workerd.getQueueProducer<object>('NOTES', configuration.name)
  await queue.send({ integration: 'another', event: anEvent({ kind: 'note.ended', noteId: 'note_3' }) })
  await queue.send({ integration: 'default', event: { event_type: 'note.ended' } })
  await queue.send({ integration: 'default', event: anEvent({ kind: 'note.ended', noteId: 'note_4' }) })
  await eventually('the next message is processed', () => called.includes('note_4'))
  assert.equal(called.includes('note_3'), false)
})

async function deliver(noteId: string): Promise<number> {
  const attempt = await signAttempt(SECRET, anEvent({ kind: 'note.ended', noteId }))
  return (await fetch(url, { method: 'POST', ...attempt })).status
}

async function deployment() {
  const replaying = { name: 'replaying', path: 'src/cloudflare-replay.ts' }
  const workers = await Promise.all(
    [{ name: configuration.name, path: configuration.main }, replaying].map(async ({ name, path }) => ({
      name,
      modules: [{ type: 'ESModule' as const, path: 'worker.js', contents: await bundled(path) }],
      compatibilityDate: configuration.compatibility_date,
      compatibilityFlags: configuration.compatibility_flags,
      bindings: { NOTES_SIGNING_SECRET: SECRET },
      d1Databases: { DB: 'notes' },
      queueProducers: { NOTES: consumer.queue },
      queueConsumers:
        path === configuration.main
          ? { [consumer.queue]: { maxBatchTimeout: 0, maxRetries: 1, deadLetterQueue: consumer.dead_letter_queue } }
          : { [consumer.dead_letter_queue]: { maxBatchTimeout: 0 } },
      serviceBindings: {
        async MODEL(request: { text(): Promise<string> }) {
          const noteId = await request.text()
          const left = refusals.get(noteId) ?? 0
          refusals.set(noteId, left - 1)
          called.push(noteId)
          return new Response(null, { status: left > 0 ? 500 : 200 })
        },
      },
    })),
  )
  return { workers, d1Persist: false, port: 0 }
}

async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, entry)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    // The conditions of Wrangler, and those of this process.
    conditions: [
      'workerd',
      'worker',
      'browser',
      ...process.execArgv.flatMap((option) => /^--conditions=(.*)/.exec(option)?.[1] ?? []),
    ],
    external: ['node:*', 'cloudflare:*'],
  })
  return outputFiles[0]?.text ?? ''
}
