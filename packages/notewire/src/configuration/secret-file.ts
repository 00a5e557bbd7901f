import { CommandError } from '../errors/failure.ts'
import { systemReason } from '../errors/system-error.ts'
import { readRegularFile } from './regular-file.ts'

const MAX_LENGTH = 4_096
const OTHERS_MAY_READ = 0o077

export interface SecretInFile {
  readonly secret: string
  /** The mode of the file in octal, if users other than its owner have access. */
  readonly exposedMode: string | undefined
}

/**
 * Reads a file that contains one secret and nothing else. White space around the secret is ignored.
 *
 * @param source  the flag or variable that names the file, for the error
 */
export async function readSecretFile(absolute: string, path: string, source: string): Promise<SecretInFile> {
  const unusable = (problem: string) =>
    new CommandError('secret_unreadable', `the file ${path}, named by ${source}, ${problem}.`)
  try {
    const { content, mode } = await readRegularFile(absolute)
    const secret = content.trim()
    if (secret.length > MAX_LENGTH) throw unusable('is too long for a secret. Name another file')
    if (secret === '') throw unusable('is empty. Put the secret into it, and nothing else')
    if (/\s/.test(secret)) throw unusable('contains more than one word. Remove everything but the secret')
    const isExposed = process.platform !== 'win32' && (mode & OTHERS_MAY_READ) !== 0
    return { secret, exposedMode: isExposed ? (mode & 0o777).toString(8) : undefined }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw unusable(`cannot be read: ${systemReason(error)}. Name a file that you may read`)
  }
}
