import { once } from './concurrency/calls.ts'
import { openIntegration } from './engine/integration-mirror.ts'
import type { Mirror } from './engine/mirror-type.ts'
import { resolveMirrorOptions } from './engine/resolve-options.ts'
import type { MirrorOptions } from './options.ts'

/**
 * Makes a mirror. The first use creates the tables of its store.
 *
 * @throws OptionError with the invalid option, and the fix
 * @example
 * ```ts
 * import { NotesClient } from '@notewire/client'
 * import { createMirror } from '@notewire/mirror'
 * import { sqliteMirror } from '@notewire/mirror/sqlite'
 *
 * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: process.env['NOTES_API_KEY'] ?? '' })
 * const mirror = createMirror({ client, store: sqliteMirror('notes.db') })
 *
 * await mirror.sync()
 * for await (const { note, summary } of mirror.list()) console.log(note.title, summary?.markdown)
 * ```
 */
export function createMirror<Transaction = never>(options: MirrorOptions<Transaction>): Mirror<Transaction> {
  const { integration, ...settings } = resolveMirrorOptions(options)
  const migrate = once(() => options.store.migrate())
  return openIntegration(integration, settings, async () => {
    await migrate()
    // It has the type of its transactions, which the store of the settings lacks.
    return options.store
  })
}
