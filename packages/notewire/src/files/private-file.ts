import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, link, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import path, { join, type PlatformPath } from 'node:path'
import { isSystemError, systemError } from '../errors/system-error.ts'
import { changeWhenClosed } from './change-when-closed.ts'
import { openRegularFile, readAtMost } from './regular-file.ts'

/** The name of a file that is not complete. It contains the id of the process that writes it. */
const TEMPORARY = /^\.notewire-(\d{1,10})-[0-9a-f-]{36}\.tmp$/

/**
 * Writes a file that only its owner can read. When it is complete and on the disk, it is renamed to `target`.
 *
 * @param replace  whether `target` may exist already
 */
export async function writePrivately<Result>(
  target: string,
  write: (file: FileHandle) => Promise<Result>,
  { replace = true } = {},
): Promise<Result> {
  const temporary = join(path.dirname(target), `.notewire-${process.pid}-${randomUUID()}.tmp`)
  const file = await open(temporary, 'wx', 0o600).catch((error: unknown) => {
    // The user knows the file by its final name.
    throw isSystemError(error) ? systemError(error.code, target) : error
  })
  try {
    const result = await write(file)
    await file.datasync()
    await file.close()
    // A link, unlike a rename, replaces nothing.
    if (replace) await changeWhenClosed(() => rename(temporary, target))
    else await link(temporary, target)
    return result
  } finally {
    await file.close().catch(() => undefined)
    await unlink(temporary).catch(() => undefined)
  }
}

/**
 * Creates a folder and its missing parents with mode 700. It does not use `recursive: true`, which never ends in a file system where
 * users cannot create folders, such as /proc.
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  for (const missing of missingFolders(folder, existsSync)) {
    try {
      await mkdir(missing, { mode: 0o700 })
    } catch (error) {
      const isThere = (await stat(missing).catch(() => undefined))?.isDirectory() ?? false
      if (!isThere) throw error
    }
  }
}

/** A folder after those of its parents that are missing, the highest first. In Windows, even the root can be missing: it is a drive. */
export function missingFolders(
  folder: string,
  exists: (folder: string) => boolean,
  { dirname }: Pick<PlatformPath, 'dirname'> = path,
): readonly string[] {
  const parent = dirname(folder)
  const above = parent === folder || exists(parent) ? [] : missingFolders(parent, exists, { dirname })
  return [...above, folder]
}

/** Removes the incomplete files of processes that were killed, because they contain the content of notes. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = TEMPORARY.exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) await removeFile(join(folder, name))
  }
}

export async function removeFile(path: string): Promise<void> {
  await changeWhenClosed(() => unlink(path)).catch((error: unknown) => {
    if (!isSystemError(error, 'ENOENT')) throw error
  })
}

/**
 * Reads the first bytes of a regular file; `undefined` if it does not exist.
 *
 * @throws an error of the operating system; `ENXIO` for a named pipe or a device
 */
export async function beginningOf(path: string, length: number): Promise<string | undefined> {
  try {
    await using file = await openRegularFile(path)
    return (await readAtMost(file, length)).toString('utf8')
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Tells whether a process with this id runs on this machine. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process exists, but belongs to another user.
    return isSystemError(error, 'EPERM')
  }
}
