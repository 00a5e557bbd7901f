import { addAbortSignal, type Readable } from 'node:stream'
import { LARGEST_CAPTURE_BYTES } from './read-capture.ts'

/**
 * Reads all of a stream, up to a little more than a capture may have, whose reader then refuses it.
 *
 * @throws the signal's reason, as soon as it is aborted
 */
export async function readInput(stream: Readable, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of addAbortSignal(signal, stream)) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array)
      chunks.push(bytes)
      size += bytes.length
      if (size > LARGEST_CAPTURE_BYTES) break
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
  return Buffer.concat(chunks)
}
