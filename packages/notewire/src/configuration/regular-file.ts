import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { systemError } from '../errors/system-error.ts'

/** Larger than any settings or secret. */
const MAX_BYTES = 1_048_576

/**
 * Reads a small regular file. A named pipe or a device could block the program, or never end.
 *
 * @throws an error of the operating system (`errors/system-error.ts`)
 */
export async function readRegularFile(path: string): Promise<{ readonly content: string; readonly mode: number }> {
  // O_NONBLOCK: otherwise, opening a named pipe waits until another process writes to it.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const status = await file.stat()
  if (status.isDirectory()) throw systemError('EISDIR', path)
  if (!status.isFile()) throw systemError('ENXIO', path)
  if (status.size > MAX_BYTES) throw systemError('EFBIG', path)
  return { content: await file.readFile('utf8'), mode: status.mode }
}
