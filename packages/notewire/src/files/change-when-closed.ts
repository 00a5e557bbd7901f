import { setTimeout } from 'node:timers/promises'
import { isSystemError } from '../errors/system-error.ts'

/** The pauses between the attempts, about a second in total. */
const PAUSES_MS = [10, 20, 40, 80, 160, 320, 640]

/**
 * Renames or removes a file that another program may have open. In Windows, this fails until the other program closes the file: virus scanners and
 * indexers open a file for moments after it was written, so the change is tried again.
 */
export async function changeWhenClosed(
  change: () => Promise<void>,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  for (const pause of platform === 'win32' ? PAUSES_MS : []) {
    try {
      return await change()
    } catch (error) {
      if (!isSystemError(error, 'EPERM', 'EACCES', 'EBUSY')) throw error
      await setTimeout(pause)
    }
  }
  await change()
}
