import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from '../errors/system-error.ts'

const TEMPORARY = /^\.notewire-export-[0-9a-f-]{36}\.tmp$/

/** A path for a file of a folder until it is complete. */
export function temporaryIn(folder: string): string {
  return join(folder, `.notewire-export-${randomUUID()}.tmp`)
}

/** Tells whether a file is one that an export left incomplete. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name)
}

/**
 * Writes a file that only its owner can read. Once it is complete and on the disk, it replaces `target`.
 *
 * @param temporary  the path until then, on the same file system
 */
export async function writePrivately<Result>(
  temporary: string,
  target: string,
  write: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const file = await open(temporary, 'wx', 0o600)
  try {
    const result = await write(file)
    await file.datasync()
    await file.close()
    await rename(temporary, target)
    return result
  } catch (error) {
    await file.close().catch(() => undefined)
    await unlink(temporary).catch(() => undefined)
    throw error
  }
}

/** Removes a file, if it exists. */
export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isSystemError(error, 'ENOENT')) throw error
  })
}
