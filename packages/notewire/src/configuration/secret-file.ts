import { readFile, stat } from 'node:fs/promises'
import { systemReason } from '../system-reason.ts'
import { ConfigurationError } from './configuration-error.ts'

/** More than this is no key, and not worth reading. */
const MOST_BYTES = 4_096
const OTHERS_MAY_READ = 0o077

/** A secret, and whether others could have read it. */
export interface SecretInFile {
  readonly secret: string
  /** The mode of the file, as `chmod` takes it, when others than its owner have rights to it. */
  readonly exposedMode: string | undefined
}

/**
 * Reads a file that holds one secret and nothing else; white space around it does not count.
 *
 * @param setting  what named the file, for the error
 * @throws `ConfigurationError` `secret_unreadable`
 */
export async function readSecretFile(absolute: string, path: string, setting: string): Promise<SecretInFile> {
  const { content, mode } = await contentOf(absolute, path, setting)
  const secret = content.trim()
  if (secret === '') throw unusable(path, setting, 'is empty. Put the secret into it, and nothing else')
  if (/\s/.test(secret))
    throw unusable(path, setting, 'holds more than one word. Leave the secret in it, and nothing else')
  const isExposed = process.platform !== 'win32' && (mode & OTHERS_MAY_READ) !== 0
  return { secret, exposedMode: isExposed ? (mode & 0o777).toString(8) : undefined }
}

async function contentOf(absolute: string, path: string, setting: string) {
  try {
    const { mode, size } = await stat(absolute)
    if (size > MOST_BYTES)
      throw unusable(path, setting, `holds ${size} bytes, and no secret is as long. Name another file`)
    return { content: await readFile(absolute, 'utf8'), mode }
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    throw unusable(path, setting, `cannot be read: ${systemReason(error)}. Name a file that you may read`)
  }
}

function unusable(path: string, setting: string, problem: string): ConfigurationError {
  return new ConfigurationError(
    'secret_unreadable',
    setting,
    setting,
    `the file ${path}, named by ${setting}, ${problem}.`,
  )
}
