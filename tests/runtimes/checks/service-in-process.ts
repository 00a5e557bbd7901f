import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { createReceiver } from '@notewire/webhooks'

/** Runs all three in one process: a note ends, its event is received, and the client reads it, with and without a port. */
export async function serviceInProcess() {
  await using service = await createNotesService({ seed: 7, disorder: { duplicated: 0.5, failing: 0.3 } })
  const inProcess = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch })
  const titles = new Map<string, string | null | undefined>()
  const { status } = await service.connect(
    (secret) =>
      createReceiver({
        secret,
        clock: service.clock,
        on: {
          'note.ended': async ({ data }) => titles.set(data.note_id, (await inProcess.notes.get(data.note_id)).title),
          'note.deleted': ({ data }) => titles.delete(data.note_id),
        },
      }).fetch,
  )
  service.owner.record({ title: 'Stand-up' }).end()
  service.owner.record({ title: 'Review' }).end().delete()
  await service.settled()

  const { url } = await service.listen()
  const overThePort: (string | null | undefined)[] = []
  for await (const { title } of new NotesClient({ baseUrl: url, apiKey: service.apiKey }).notes.list()) {
    overThePort.push(title)
  }
  return { endpoint: status, kept: [...titles.values()], overThePort }
}
