import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import { createNotesService } from '@notewire/mock-server'
import { type Embed, keepEmbeddings, nearestNotes } from '../src/embeddings.ts'

/** Replaces a model: counts the letters of a text. */
function embeddingOf(text: string): number[] {
  const counts = new Array<number>(26).fill(0)
  for (const letter of text.toLowerCase()) {
    const index = letter.charCodeAt(0) - 97
    if (index in counts) counts[index] = (counts[index] ?? 0) + 1
  }
  const length = Math.hypot(...counts) || 1
  return counts.map((count) => count / length)
}

it('creates new embeddings only for changed parts', async (test) => {
  const folder = await mkdtemp(join(tmpdir(), 'embeddings-'))
  const service = await createNotesService({ notes: 5 })
  const stop = new AbortController()
  const path = join(folder, 'notes.db')
  const { baseUrl, apiKey, clock } = service
  const client = new NotesClient({ baseUrl, apiKey, fetch: service.fetch })
  const store = sqliteMirror(path, { clock })
  const mirror = createMirror({ client, store })
  const embedded: string[] = []
  const embed: Embed = async (texts) => {
    embedded.push(...texts)
    return texts.map(embeddingOf)
  }
  const sync = async () => {
    await clock.advance('10m')
    await mirror.sync()
    const isConsumed = async () => (await mirror.consumerStatus('embeddings')).lag === 0
    while (!(await isConsumed())) await sleep(20)
  }
  const kept = keepEmbeddings(path, embed, stop.signal)
  test.after(async () => {
    stop.abort()
    await kept
    await store.close?.()
    await service.close()
    await rm(folder, { recursive: true })
  })

  await sync()
  const parts = embedded.splice(0).length
  assert.ok(parts >= 5)
  const [first, second] = service.owner.notes()
  first?.edit({ title: 'Zzyzx quiz' })
  await sync()
  assert.deepEqual(embedded, ['Zzyzx quiz'])

  const database = new DatabaseSync(path, { readOnly: true })
  assert.deepEqual(nearestNotes(database, embeddingOf('quiz zzyzx'), 1), [first?.note_id])
  second?.delete()
  await mirror.sync({ fullListing: 'now' })
  await sync()
  const ofSecond = database.prepare('SELECT 1 FROM embeddings WHERE note_id = ?')
  assert.deepEqual(ofSecond.all(second?.note_id ?? ''), [])
  assert.deepEqual(embedded, ['Zzyzx quiz'])
  database.close()
})
