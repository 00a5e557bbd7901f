import { readFile, stat, writeFile } from 'node:fs/promises'
import { keyIdOf, textOfFile } from '@notewire/protocol'
import { MockServerError } from '../errors/mock-server-error.ts'
import { randomText } from '../seed/random-secrets.ts'

/** Larger than any key. */
const MAX_BYTES = 4_096
const OTHERS_HAVE_ACCESS = 0o077

interface KeyFile {
  readonly apiKey: string
  /** A sentence, if other users have access to the file. */
  readonly notice?: string
}

/**
 * Reads the API key that a file contains. If there is no such file, it creates one that only its owner can read, with a random key.
 *
 * @throws `MockServerError` `arguments_invalid` when the file cannot be read or created, or contains no API key
 */
export async function apiKeyInFile(path: string): Promise<KeyFile> {
  try {
    const apiKey = `ntw_live_${randomText(12)}.${randomText(32)}`
    await writeFile(path, `${apiKey}\n`, { flag: 'wx', mode: 0o600 })
    return { apiKey }
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unusable(path, `cannot be created (${codeOf(error)})`)
  }
  const { apiKey, mode } = await keyIn(path).catch((error: unknown) => {
    throw error instanceof MockServerError ? error : unusable(path, `cannot be read (${codeOf(error)})`)
  })
  const isExposed = process.platform !== 'win32' && (mode & OTHERS_HAVE_ACCESS) !== 0
  const notice = `Others can read the file of --api-key-file (mode ${(mode & 0o777).toString(8)}). Give it the mode 600.`
  return { apiKey, ...(isExposed && { notice }) }
}

async function keyIn(path: string): Promise<{ readonly apiKey: string; readonly mode: number }> {
  const status = await stat(path)
  // Reading a named pipe might never end.
  if (!status.isFile() || status.size > MAX_BYTES) throw unusable(path, 'is not a file with an API key')
  const apiKey = textOfFile(await readFile(path)).text.trim()
  if (keyIdOf(apiKey) === undefined) throw unusable(path, 'does not contain an API key, and nothing else')
  return { apiKey, mode: status.mode }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

function unusable(path: string, problem: string): MockServerError {
  const remedy =
    'Name a file that contains <prefix>_live_<key id>.<secret>, or one that does not exist: it is created with a random key.'
  return new MockServerError(
    'arguments_invalid',
    `the file ${path} of --api-key-file ${problem}`,
    remedy,
    '--api-key-file',
  )
}
