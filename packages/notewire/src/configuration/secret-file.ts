import { readFile, stat } from 'node:fs/promises'
import { CommandError } from '../errors/failure.ts'
import { systemReason } from '../errors/system-error.ts'

const MOST_BYTES = 4_096
const OTHERS_MAY_READ = 0o077

export interface SecretInFile {
  readonly secret: string
  /** The mode of the file, as `chmod` takes it, if users other than its owner have access. */
  readonly exposedMode: string | undefined
}

/**
 * Reads a file that contains one secret and nothing else. White space around the secret is ignored.
 *
 * @param source  the flag or variable that names the file, for the error
 * @throws `CommandError` `secret_unreadable`
 */
export async function readSecretFile(absolute: string, path: string, source: string): Promise<SecretInFile> {
  const unusable = (problem: string) =>
    new CommandError('secret_unreadable', `the file ${path}, named by ${source}, ${problem}.`)
  const file = await readSmallFile(absolute).catch((error: unknown) => {
    throw unusable(`cannot be read: ${systemReason(error)}. Name a file that you may read`)
  })
  if (file.content === undefined)
    throw unusable(`contains ${file.size} bytes, which is too long for a secret. Name another file`)
  const secret = file.content.trim()
  if (secret === '') throw unusable('is empty. Put the secret into it, and nothing else')
  if (/\s/.test(secret)) throw unusable('contains more than one word. Remove everything but the secret')
  const isExposed = process.platform !== 'win32' && (file.mode & OTHERS_MAY_READ) !== 0
  return { secret, exposedMode: isExposed ? (file.mode & 0o777).toString(8) : undefined }
}

async function readSmallFile(absolute: string) {
  const { mode, size } = await stat(absolute)
  return { mode, size, content: size > MOST_BYTES ? undefined : await readFile(absolute, 'utf8') }
}
