import { NotesClient, NotesClientError } from '@notewire/client'

/** Reads what a notes service on a port holds: `titles` over several pages, and what errors come to. */
export async function clientAgainstAPort({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
  const client = new NotesClient({ baseUrl, apiKey })
  const notes: string[] = []
  for await (const note of client.notes.list({ limit: 2 })) notes.push(note.note_id)
  const [noteId = ''] = notes
  return {
    notes,
    transcriptBegins: (await client.notes.transcript(noteId)).text.slice(0, 20),
    summaryStatus: (await client.notes.summary(noteId)).status,
    unknownNote: await codeOf(client.notes.get('note_of_nobody')),
    wrongKey: await codeOf(new NotesClient({ baseUrl, apiKey: 'ntw_live_k0.wrong' }).notes.get(noteId)),
    nobodyListens: await codeOf(
      new NotesClient({ baseUrl: 'http://127.0.0.1:65535', apiKey, maxRetries: 0 }).notes.get(noteId),
    ),
  }
}

function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'no error',
    (error: unknown) => (error instanceof NotesClientError ? error.code : String(error)),
  )
}
