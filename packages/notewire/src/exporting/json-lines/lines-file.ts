import { open, readdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isSystemError } from '../../system-reason.ts'
import { ExportError } from '../export-error.ts'
import { isAlive } from '../is-alive.ts'
import { writePrivately } from '../private-file.ts'
import { BEGINNING } from './records.ts'

const WRITE_AT_ONCE = 256 * 1024

/**
 * Writes lines to a file for its owner alone, which replaces the one of an earlier export when it is complete.
 *
 * @param work  writes, and waits for each line
 * @throws ExportError `export_in_the_way` when the file is there and no export
 */
export async function writeLinesFile<Result>(
  path: string,
  shown: string,
  work: (write: (line: string) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  await refuseForeign(path, shown)
  await removeUnfinished(path)
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)
  return await writePrivately(temporary, path, async (file) => {
    let waiting = ''
    const result = await work(async (line) => {
      waiting += line
      if (waiting.length < WRITE_AT_ONCE) return
      await file.writeFile(waiting)
      waiting = ''
    })
    await file.writeFile(waiting)
    return result
  })
}

async function refuseForeign(path: string, shown: string): Promise<void> {
  const beginning = await beginningOf(path)
  if (beginning === undefined || beginning === '' || beginning === BEGINNING) return
  throw new ExportError(
    'export_in_the_way',
    `${shown} is there, and was not written by export. Move it away, or name another file.`,
  )
}

async function beginningOf(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING.length), 0, BEGINNING.length, 0)
      return buffer.toString('latin1', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** What exports that were killed have left behind holds what people have said. */
async function removeUnfinished(path: string): Promise<void> {
  const prefix = `.${basename(path)}.`
  for (const name of await readdir(dirname(path))) {
    const [, pid] = (name.startsWith(prefix) && /^(\d{1,10})\.tmp$/.exec(name.slice(prefix.length))) || []
    if (pid !== undefined && !isAlive(Number(pid))) await unlink(join(dirname(path), name)).catch(() => undefined)
  }
}
