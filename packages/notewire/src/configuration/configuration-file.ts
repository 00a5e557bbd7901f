import { readFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { systemReason } from '../system-reason.ts'
import { nearest } from '../terminal/nearest.ts'
import { ConfigurationError } from './configuration-error.ts'
import { PLAIN_SETTINGS, type PlainSettingName, SECRETS, type SecretDeclaration } from './setting-table.ts'

/** The name under which the configuration file is looked for in the working folder. */
export const CONFIGURATION_FILE = 'notewire.config.json'

/** What a configuration file says. */
export interface ConfigurationFile {
  /** As it is shown: relative to the working folder. */
  readonly path: string
  /** The folder from which its relative paths start. */
  readonly folder: string
  readonly values: Readonly<Partial<Record<PlainSettingName, string>>>
}

/**
 * Reads the configuration file: the one that was asked for, or else the one in the working folder, if there is one.
 *
 * @throws `ConfigurationError` naming the file, and the field that cannot be
 */
export async function loadConfigurationFile(
  workingFolder: string,
  askedFor: string | undefined,
): Promise<ConfigurationFile | undefined> {
  const absolute = resolve(workingFolder, askedFor ?? CONFIGURATION_FILE)
  const shown = askedFor ?? CONFIGURATION_FILE
  const content = await contentOf(absolute, shown, askedFor !== undefined)
  if (content === undefined) return undefined
  const folder = relative(workingFolder, dirname(absolute))
  return { path: shown, folder, values: readConfiguration(content, shown) }
}

/** Reads a configuration from its text. */
function readConfiguration(content: string, path: string): ConfigurationFile['values'] {
  const values: Partial<Record<PlainSettingName, string>> = {}
  for (const [field, value] of Object.entries(parse(content, path))) {
    if (field === '$schema') continue
    if (!isPlainSetting(field)) throw unknownField(field, path)
    if (typeof value !== 'string') throw notText(field, path)
    values[field] = value
  }
  return values
}

async function contentOf(absolute: string, shown: string, mustExist: boolean): Promise<string | undefined> {
  try {
    return await readFile(absolute, 'utf8')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isMissing && !mustExist) return undefined
    throw unreadable(shown, `cannot be read: ${systemReason(error)}. Pass the path of a JSON file with --config.`)
  }
}

function parse(content: string, path: string): object {
  let parsed: unknown
  try {
    parsed = JSON.parse(content.replace(/^\uFEFF/, ''))
  } catch (error) {
    // The message itself quotes the file, in which somebody may have put a key.
    const [, line] = /\(line (\d+) /.exec(error instanceof Error ? error.message : '') ?? []
    const where = line === undefined ? 'is not JSON' : `is not JSON from line ${line} on`
    throw unreadable(path, `${where}. Mind commas, quotes and braces; comments are not allowed.`)
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  throw unreadable(path, 'should hold an object, such as { "baseUrl": "https://notes.example" }.')
}

function isPlainSetting(field: string): field is PlainSettingName {
  return Object.hasOwn(PLAIN_SETTINGS, field)
}

function unknownField(field: string, path: string): ConfigurationError {
  const exposed = Object.values(SECRETS).find(({ exposedAs }) => exposedAs.test(field))
  if (exposed !== undefined) return exposedSecret(field, path, exposed)
  const known = Object.keys(PLAIN_SETTINGS)
  const meant = nearest(field, known)
  const advice = meant === undefined ? `It may hold: ${known.join(', ')}.` : `Did you mean "${meant}"?`
  return new ConfigurationError(
    'setting_invalid',
    field,
    `"${field}" in ${path}`,
    `${path} has a field "${field}", which is no setting. ${advice}`,
  )
}

function exposedSecret(field: string, path: string, { title, variable, file }: SecretDeclaration): ConfigurationError {
  return new ConfigurationError(
    'secret_exposed',
    field,
    `"${field}" in ${path}`,
    `"${field}" stands in ${path}, and configuration files are copied and committed. Set ${variable} instead, or name a file that holds the ${title} as "${file}". Make a new ${title} if the file was shared.`,
  )
}

function notText(field: string, path: string): ConfigurationError {
  const source = `"${field}" in ${path}`
  return new ConfigurationError('setting_invalid', field, source, `${source} takes a text. Put it between quotes.`)
}

function unreadable(path: string, problem: string): ConfigurationError {
  return new ConfigurationError('configuration_unreadable', '', path, `the configuration file ${path} ${problem}`)
}
