import { appendFile, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from '../../system-reason.ts'
import { isFileName } from '../markdown/file-name.ts'

/** Names that are about to be written, until the manifest has them. */
const JOURNAL = '.notewire-export.journal'

/** A file that may be there, although the manifest does not know it yet. */
export interface Intent {
  readonly noteId: string
  readonly name: string
}

/** Reads what an export that did not end was about to write. A line that was not finished was not acted on. */
export async function readJournal(folder: string): Promise<readonly Intent[]> {
  const content = await readFile(join(folder, JOURNAL), 'utf8').catch((error: unknown) => {
    if (isSystemError(error) && error.code === 'ENOENT') return ''
    throw error
  })
  return content.split('\n').flatMap(intentIn)
}

/** Writes down what is about to be written. */
export async function appendToJournal(folder: string, intents: readonly Intent[]): Promise<void> {
  if (intents.length === 0) return
  const lines = intents.map(({ noteId, name }) => `\n${JSON.stringify([noteId, name])}`)
  await appendFile(join(folder, JOURNAL), lines.join(''), { mode: 0o600, flush: true })
}

/** Forgets it: the manifest knows. */
export async function removeJournal(folder: string): Promise<void> {
  await unlink(join(folder, JOURNAL)).catch((error: unknown) => {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error
  })
}

function intentIn(line: string): readonly Intent[] {
  try {
    const [noteId, name]: readonly unknown[] = JSON.parse(line)
    return typeof noteId === 'string' && typeof name === 'string' && isFileName(name) ? [{ noteId, name }] : []
  } catch {
    return []
  }
}
