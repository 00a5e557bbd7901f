import { setTimeout as sleep } from 'node:timers/promises'

/** Takes longer than the service waits. A real function fetches the transcript with @notewire/client, and calls a model. */
export async function summarise(noteId: string, signal: AbortSignal): Promise<void> {
  console.log('began', noteId)
  await sleep(Number(process.env['SUMMARY_MS'] ?? 12_000), undefined, { signal })
  if (noteId === process.env['FAILING_NOTE']) throw new RangeError(`the model refused ${noteId}`)
  console.log('summarised', noteId)
}
