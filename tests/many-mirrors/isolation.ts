import { NotesClient } from '@notewire/client'
import { type ConsumerChange, createMirror, createMirrors, type MirrorStore } from '@notewire/mirror'
import { createNotesService } from '@notewire/mock-server'
import { memoryMirror } from '../../packages/mirror/fixtures/memory-mirror/memory-mirror.ts'
import { onClock } from '../../packages/mirror/fixtures/on-clock.ts'
import { SILENT } from '../../packages/mirror/fixtures/silent-logger.ts'
import { reads } from '../../packages/mirror/fixtures/store-reads.ts'
import { Random } from '../simulation/random.ts'

/** Ids that a bug in a key, a pattern or a collation would confuse. */
const INTEGRATIONS = ['acme', 'ACME', 'acme1', 'acme_', 'acme.', 'acm', 'default', '100']
const NOTES = 30
const COMMON_WORD = 'walrus'

/**
 * Writes and reads the same note ids in eight integrations concurrently, with every method that reads a mirror, and removes and adds integrations
 * meanwhile.
 *
 * @returns the notes that were shown in another integration than their own
 */
export async function findForeignNotes(
  store: MirrorStore,
  operations: number,
  seed: number,
): Promise<readonly string[]> {
  const template = await aSettledNote()
  const mirrors = createMirrors({
    store,
    logger: SILENT,
    connect: () => Promise.reject(new Error('there is no service')),
  })
  const foreignNotes: string[] = []
  for (const integration of INTEGRATIONS) await mirrors.add(integration)
  await Promise.all(INTEGRATIONS.map((integration, index) => live(integration, `owned${index}by${index}`, index)))
  return foreignNotes

  async function live(integration: string, owner: string, stream: number): Promise<void> {
    const random = new Random(seed, stream)
    let mirror = mirrors.of(integration)

    function check(how: string, title: string | null | undefined): void {
      if (title?.startsWith(`${owner} `) !== true) foreignNotes.push(`${how} of ${integration} showed ${title}`)
    }

    async function write(noteId: string): Promise<void> {
      const { notes } = await store.load(integration, [noteId])
      const { state, version = 0 } = notes.get(noteId) ?? {}
      const isLive = state?.presence === 'live'
      const isRemoved = isLive && random.chance(0.2)
      const unlessRemoved = isLive ? 'changed' : 'appeared'
      const title = `${owner} ${COMMON_WORD} ${random.integer(0, 999_999)}`
      const content = {
        note: { ...template.note, note_id: noteId, title },
        transcript: template.transcript && { ...template.transcript, text: title, segments: [] },
        summary: template.summary && { ...template.summary, markdown: title },
      }
      await store.commit(integration, {
        notes: [
          {
            state: { ...template.state, noteId, presence: isRemoved ? 'gone' : 'live' },
            expectedVersion: version,
            content: isRemoved ? 'erase' : content,
            announce: isRemoved ? 'vanished' : unlessRemoved,
          },
        ],
      })
    }

    const apply = (changes: readonly ConsumerChange[]) => {
      for (const change of changes) if (change.kind === 'content') check('consume', change.note.title)
    }

    let left = operations / INTEGRATIONS.length
    while (left > 0) {
      left -= 1
      const noteId = `note_${random.integer(1, NOTES)}`
      switch (random.integer(0, 6)) {
        case 0:
        case 1:
          await write(noteId)
          break
        case 2: {
          const found = await mirror.get(noteId)
          if (found !== undefined) check('get', found.note.title)
          break
        }
        case 3:
          for await (const { note } of mirror.list({ after: noteId })) check('list', note.title)
          break
        case 4: {
          const word = random.pick([COMMON_WORD, `owned${random.integer(0, INTEGRATIONS.length - 1)}`])
          for (const { note } of await mirror.search(word)) check('search', note.title)
          break
        }
        case 5:
          for await (const change of mirror.changes()) {
            left -= 1
            const shown = await mirror.get(change.noteId)
            if (shown !== undefined) check('changes', shown.note.title)
            if (random.chance(0.5)) break
          }
          break
        default:
          await mirror.consumeDue({ name: 'index', batchSize: 10, apply })
      }
      if (random.chance(1 / 2_000)) {
        await mirrors.remove(integration)
        await mirrors.add(integration)
        mirror = mirrors.of(integration)
      }
    }
  }
}

/** A note with content and state, as a mirror stores it. */
async function aSettledNote() {
  await using service = await createNotesService({ notes: 1 })
  const store = memoryMirror()
  const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch })
  await createMirror({ client, store: onClock(store, service.clock), logger: SILENT }).sync()
  const [note] = await reads(store).listNotes('default', '', 1)
  if (note?.note == null) throw new Error('the service has no note')
  return { ...note, note: note.note }
}
