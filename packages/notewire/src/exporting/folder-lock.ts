import { open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../errors/failure.ts'
import { isSystemError } from '../errors/system-error.ts'
import { isAlive } from '../files/private-file.ts'

/** The file that exists while an export writes to the folder. */
const LOCK = '.notewire-export.lock'

/** Keeps other exports out of a folder. The lock of a process that has ended is ignored. */
export async function lockFolder(folder: string, shown: string): Promise<AsyncDisposable> {
  const path = join(folder, LOCK)
  for (let tries = 0; tries < 3; tries += 1) {
    if (await take(path)) return { [Symbol.asyncDispose]: () => unlink(path).catch(() => undefined) }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''))
    if (holder > 0 && isAlive(holder)) throw busy(shown, `another export (process ${holder})`)
    await unlink(path).catch(() => undefined)
  }
  throw busy(shown, 'another export')
}

async function take(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(String(process.pid)).finally(() => file.close())
    return true
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false
    throw error
  }
}

function busy(shown: string, who: string): CommandError {
  return new CommandError(
    'export_busy',
    `${who} writes to ${shown}. Wait until it has ended. If no export is running, remove ${LOCK} there.`,
  )
}
