import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { CommandError } from '../errors/failure.ts'
import { isSystemError, systemReason } from '../errors/system-error.ts'
import { readRegularFile } from '../files/regular-file.ts'

export const ENV_FILE = '.env'

export interface EnvFile {
  /** The folder of the file itself, after symbolic links. */
  readonly realFolder: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Reads the file `.env` in the working folder. A folder of that name is ignored, because it may be a virtual environment of Python. */
export async function loadEnvFile(workingFolder: string): Promise<EnvFile> {
  const path = join(workingFolder, ENV_FILE)
  try {
    const { content } = await readRegularFile(path)
    return { realFolder: dirname(await realpath(path)), variables: parseEnv(content) }
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'EISDIR')) return { realFolder: workingFolder, variables: {} }
    const advice = isSystemError(error, 'EILSEQ')
      ? 'Save it as UTF-8.'
      : 'Replace it by a file that you may read, or move it away.'
    const message = `the file ${ENV_FILE} of this folder cannot be read: ${systemReason(error)}. ${advice}`
    throw new CommandError('configuration_unreadable', message)
  }
}

const LONGEST_SECRET = 4_096
const OTHERS_MAY_READ = 0o077

interface SecretInFile {
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
    if (secret.length > LONGEST_SECRET) throw unusable('is too long for a secret. Name another file')
    if (secret === '') throw unusable('is empty. Put the secret into it, and nothing else')
    if (/\s/.test(secret)) throw unusable('contains more than one word. Remove everything but the secret')
    const isExposed = process.platform !== 'win32' && (mode & OTHERS_MAY_READ) !== 0
    return { secret, exposedMode: isExposed ? (mode & 0o777).toString(8) : undefined }
  } catch (error) {
    if (error instanceof CommandError) throw error
    const advice = isSystemError(error, 'EILSEQ') ? 'Save it as UTF-8' : 'Name a file that you may read'
    throw unusable(`cannot be read: ${systemReason(error)}. ${advice}`)
  }
}
