import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileExists } from '../../file-exists.ts'
import { isSystemError } from '../../system-reason.ts'

/**
 * Makes a folder, and those that it is in, for their owner alone; one that is there stays as it is. Not by `recursive: true`: in
 * a file system that makes no folders, such as /proc, that never ends.
 *
 * @throws the system's error
 */
export async function makeFolder(folder: string): Promise<void> {
  const parent = dirname(folder)
  if (!(await fileExists(parent))) await makeFolder(parent)
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'EEXIST') throw error
  }
}
