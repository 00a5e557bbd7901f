import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { textOfFile } from '@notewire/protocol'
import { systemError } from '../errors/system-error.ts'

/**
 * Opens a path to read it. A named pipe is opened without waiting for another process that writes to it: a thread that waits there could not
 * be stopped, not even at the end of the program.
 *
 * @throws an error of the operating system (`errors/system-error.ts`)
 */
export async function openToRead(path: string): Promise<FileHandle> {
  return await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
}

/**
 * Opens a regular file to read it. A named pipe or a device could block the program, or never end.
 *
 * @throws an error of the operating system: `EISDIR` for a folder, `ENXIO` for anything else that is not a file
 */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await openToRead(path)
  const status = await file.stat()
  if (status.isFile()) return file
  await file.close()
  throw systemError(status.isDirectory() ? 'EISDIR' : 'ENXIO', path)
}

/** Larger than any settings or secret. */
const MAX_BYTES = 1_048_576

/**
 * Reads a small regular file.
 *
 * @throws an error of the operating system; `EFBIG` for a file larger than 1 MiB, `EILSEQ` for one that is not text
 */
export async function readRegularFile(path: string): Promise<TextFile> {
  await using file = await openRegularFile(path)
  const { mode } = await file.stat()
  const bytes = await readAtMost(file, MAX_BYTES + 1)
  if (bytes.length > MAX_BYTES) throw systemError('EFBIG', path)
  const { text: content, encoding } = textOfFile(bytes)
  // UTF-16 without a byte order mark has a NUL in most characters.
  if (content.includes('\0')) throw systemError('EILSEQ', path)
  return { content, mode, isUtf8: encoding === 'utf-8' }
}

interface TextFile {
  readonly content: string
  readonly mode: number
  /** Otherwise nothing may be appended in UTF-8. */
  readonly isUtf8: boolean
}

const CHUNK_BYTES = 65_536

/** Reads a file to its end, but at most `maxBytes`. Its size says little: it may grow, and files of the system say that they are empty. */
export async function readAtMost(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let size = 0; size < maxBytes; ) {
    const length = Math.min(CHUNK_BYTES, maxBytes - size)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length)
    if (bytesRead === 0) break
    chunks.push(buffer.subarray(0, bytesRead))
    size += bytesRead
  }
  return Buffer.concat(chunks)
}
