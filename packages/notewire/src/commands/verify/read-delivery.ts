import type { FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import { addAbortSignal } from 'node:stream'
import type { Context } from '../../context/context.ts'
import { CommandError } from '../../errors/failure.ts'
import { isSystemError, systemError, systemReason } from '../../errors/system-error.ts'
import { openToRead, readAtMost } from '../../files/regular-file.ts'
import { LARGEST_CAPTURE_BYTES, unreadable } from './capture.ts'

/** One byte more than a capture may have, so that a larger one is noticed. */
const MOST_BYTES = LARGEST_CAPTURE_BYTES + 1

type ReadContext = Pick<Context, 'stdin' | 'workingFolder' | 'signal' | 'clock'>

/** Reads a captured delivery from stdin. A person may still be typing, so that this waits for the end. */
export async function deliveryOnStdin({ stdin, signal }: ReadContext): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= MOST_BYTES) break
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
  return Buffer.concat(chunks)
}

/**
 * Reads a captured delivery from a file, or from a pipe, as the shell makes one for `<(command)`.
 *
 * @throws CommandError `capture_unreadable`, also for a device, which may never end
 */
export async function deliveryInFile(path: string, context: ReadContext): Promise<Uint8Array> {
  try {
    await using file = await openToRead(resolve(context.workingFolder, path))
    const status = await file.stat()
    if (status.isFile()) return await readAtMost(file, MOST_BYTES)
    if (status.isFIFO()) return await readPipe(file, context)
    throw systemError(status.isDirectory() ? 'EISDIR' : 'ENXIO', path)
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof CommandError) throw error
    throw unreadable(
      `cannot be read from ${path}: ${systemReason(error)}. Pass the file that contains the captured delivery.`,
    )
  }
}

/** How long a pipe may take to its end. Most commands that print a delivery end at once. */
const PIPE_MS = 10_000
const PAUSE_MS = 20
const CHUNK_BYTES = 65_536

async function readPipe(file: FileHandle, { clock, signal }: ReadContext): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (const endsAt = performance.now() + PIPE_MS; performance.now() < endsAt && size < MOST_BYTES; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES).catch(ifEmpty)
    if (bytesRead > 0) {
      chunks.push(buffer.subarray(0, bytesRead))
      size += bytesRead
    } else if (bytesRead === 0 && size > 0) return Buffer.concat(chunks)
    // Before the first byte, the end only means that no process has opened the pipe yet to write to it.
    else await clock.sleep(PAUSE_MS, signal)
  }
  if (size >= MOST_BYTES) return Buffer.concat(chunks)
  throw unreadable('comes from a pipe that did not end within 10 s. Write the delivery to a file, and pass the file.')
}

/** The pipe contains nothing now, but a process that may write to it has it open. */
function ifEmpty(error: unknown): { readonly buffer: Buffer; readonly bytesRead: number } {
  if (isSystemError(error, 'EAGAIN')) return { buffer: Buffer.alloc(0), bytesRead: -1 }
  throw error
}
