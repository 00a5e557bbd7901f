import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'

const TEMPORARY = /^\.notewire-export-[0-9a-f-]{36}\.tmp$/

/** Where a file of a folder can be until it is complete. */
export function temporaryIn(folder: string): string {
  return join(folder, `.notewire-export-${randomUUID()}.tmp`)
}

/** Tells whether a file is one that an export left behind unfinished. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name)
}

/**
 * Writes a file for its owner alone, which takes its place when it is complete and on the disk.
 *
 * @param temporary  where it is until then: on the same file system
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
