import { realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { CommandError } from '../errors/failure.ts'
import { isSystemError, systemReason } from '../errors/system-error.ts'
import { readRegularFile } from './regular-file.ts'
import {
  CONFIGURATION_FILE,
  ENV_FILE,
  isPlainSetting,
  PLAIN_SETTINGS,
  type PlainSettingName,
  SECRETS,
} from './setting-table.ts'

export interface ConfigurationFile {
  readonly path: string
  /** Relative paths in the file start from this folder. */
  readonly folder: string
  /** The folder of the file itself, after symbolic links. */
  readonly realFolder: string
  /** Whether `--config` names it. */
  readonly isNamed: boolean
  readonly values: Readonly<Partial<Record<PlainSettingName, string>>>
}

export interface EnvFile {
  /** The folder of the file itself, after symbolic links. */
  readonly realFolder: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Reads the configuration file: the one that `--config` names, or the one in the working folder, if it exists. */
export async function loadConfigurationFile(
  workingFolder: string,
  named: string | undefined,
): Promise<ConfigurationFile | undefined> {
  const path = named ?? CONFIGURATION_FILE
  try {
    const absolute = resolve(workingFolder, path)
    const { content } = await readRegularFile(absolute)
    const realFolder = dirname(await realpath(absolute))
    const values = readConfiguration(content, path)
    return { path, folder: dirname(path), realFolder, isNamed: named !== undefined, values }
  } catch (error) {
    if (error instanceof CommandError) throw error
    if (named === undefined && isSystemError(error, 'ENOENT')) return undefined
    throw unreadable(path, `cannot be read: ${systemReason(error)}. Pass the path of a JSON file with --config.`)
  }
}

/** Reads the file `.env` in the working folder. A folder of that name is ignored, because it may be a virtual environment of Python. */
export async function loadEnvFile(workingFolder: string): Promise<EnvFile> {
  const path = join(workingFolder, ENV_FILE)
  try {
    const { content } = await readRegularFile(path)
    return { realFolder: dirname(await realpath(path)), variables: parseEnv(content.replace(/^\uFEFF/, '')) }
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'EISDIR')) return { realFolder: workingFolder, variables: {} }
    const message = `the file ${ENV_FILE} of this folder cannot be read: ${systemReason(error)}. Give yourself permission to read it, or move it away.`
    throw new CommandError('configuration_unreadable', message)
  }
}

function readConfiguration(content: string, path: string): ConfigurationFile['values'] {
  const values: Partial<Record<PlainSettingName, string>> = {}
  for (const [field, value] of Object.entries(parse(content, path))) {
    if (field === '$schema') continue
    if (!isPlainSetting(field)) throw unknownField(field, path)
    if (typeof value !== 'string') {
      throw new CommandError('setting_invalid', `"${field}" in ${path} takes a text. Put it between quotes.`)
    }
    values[field] = value
  }
  return values
}

function parse(content: string, path: string): object {
  let parsed: unknown
  try {
    parsed = JSON.parse(content.replace(/^\uFEFF/, ''))
  } catch {
    // The parser's message quotes the file, which may contain a key.
    throw unreadable(path, 'is not JSON. Check commas, quotes and braces; comments are not allowed.')
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  throw unreadable(path, 'should contain an object, such as { "baseUrl": "https://notes.example" }.')
}

function unknownField(field: string, path: string): CommandError {
  const exposed = Object.values(SECRETS).find(({ refused }) => refused.test(field))
  if (exposed !== undefined) {
    const { title, variable, file } = exposed
    const message = `"${field}" is in ${path}, but configuration files are often copied and committed. Set ${variable} instead, or name a file that contains only the ${title} as "${file}". Create a new ${title} if others can read the file.`
    return new CommandError('secret_exposed', message)
  }
  const known = Object.keys(PLAIN_SETTINGS).join(', ')
  const message = `${path} has a field "${field}", which is not a setting. The settings are: ${known}.`
  return new CommandError('setting_invalid', message)
}

function unreadable(path: string, problem: string): CommandError {
  return new CommandError('configuration_unreadable', `the configuration file ${path} ${problem}`)
}
