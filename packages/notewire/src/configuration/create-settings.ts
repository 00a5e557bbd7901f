import { join, resolve } from 'node:path'
import { Unreadable } from '../commands/value-readers.ts'
import type { Prompts } from '../terminal/prompts.ts'
import { UsageError } from '../usage-error.ts'
import { ConfigurationError } from './configuration-error.ts'
import { CONFIGURATION_FILE, type ConfigurationFile, loadConfigurationFile } from './configuration-file.ts'
import { readSecretFile } from './secret-file.ts'
import {
  longFlag,
  PLAIN_SETTINGS,
  type PlainSettingName,
  SECRETS,
  type SecretName,
  type SettingValue,
} from './setting-table.ts'
import type { Settings } from './settings.ts'

/** Where settings come from, and who is told of what is found there. */
export interface SettingSources {
  /** What was typed, by the name of the setting. */
  readonly flags: Readonly<Partial<Record<PlainSettingName, string>>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly workingFolder: string
  /** What `--config` says. */
  readonly configurationPath: string | undefined
  readonly prompts: Prompts
  readonly warn: (text: string) => void
  /** Is told every secret, so that nothing which is shown later holds it. */
  readonly conceal: (secret: string) => void
}

/** A value, and the place that it came from. */
interface Found {
  readonly text: string
  readonly place: 'flag' | 'environment' | 'file'
  /** `--base-url`, `NOTES_BASE_URL`, `"baseUrl" in notewire.config.json`. */
  readonly source: string
}

/** The settings of one run. */
export function createSettings(sources: SettingSources): Settings {
  const { flags, env, workingFolder, configurationPath, prompts, warn, conceal } = sources
  let loading: Promise<ConfigurationFile | undefined> | undefined
  const secrets = new Map<SecretName, Promise<string | undefined>>()

  function configuration(): Promise<ConfigurationFile | undefined> {
    loading ??= loadConfigurationFile(workingFolder, configurationPath)
    return loading
  }

  async function look(name: PlainSettingName): Promise<Found | undefined> {
    return typedValue(name) ?? environmentValue(PLAIN_SETTINGS[name].variable) ?? fileValue(name, await configuration())
  }

  function typedValue(name: PlainSettingName): Found | undefined {
    const text = flags[name]
    return text === undefined ? undefined : { text, place: 'flag', source: longFlag(name) }
  }

  function environmentValue(variable: string): Found | undefined {
    const text = env[variable]
    // `NOTES_BASE_URL= notewire …` is how shells leave a variable out.
    return text === undefined || text === '' ? undefined : { text, place: 'environment', source: variable }
  }

  async function find<Name extends PlainSettingName>(name: Name): Promise<SettingValue<Name> | undefined> {
    const found = await look(name)
    return found === undefined ? undefined : readSetting(name, found)
  }

  async function require<Name extends PlainSettingName>(name: Name): Promise<SettingValue<Name>> {
    const value = await find(name)
    if (value === undefined) throw missing(name)
    return value
  }

  function findSecret(name: SecretName): Promise<string | undefined> {
    const known = secrets.get(name) ?? lookForSecret(name)
    secrets.set(name, known)
    return known
  }

  async function lookForSecret(name: SecretName): Promise<string | undefined> {
    const { variable, file } = SECRETS[name]
    const typed = typedValue(file)
    if (typed !== undefined) return await secretIn(file, typed)
    const direct = environmentValue(variable)
    if (direct !== undefined) return concealed(direct.text.trim())
    const named = await look(file)
    return named === undefined ? undefined : await secretIn(file, named)
  }

  async function secretIn(file: PlainSettingName, found: Found): Promise<string> {
    return await secretOfFile(String(readSetting(file, found)), found.source)
  }

  async function secretOfFile(path: string, source: string): Promise<string> {
    const { secret, exposedMode } = await readSecretFile(resolve(workingFolder, path), path, source)
    if (exposedMode !== undefined) {
      warn(`Others than you may read ${path} (mode ${exposedMode}). Make it yours alone: chmod 600 ${path}`)
    }
    return concealed(secret)
  }

  async function requireSecret(name: SecretName): Promise<string> {
    const secret = await findSecret(name)
    if (secret !== undefined) return secret
    if (!prompts.available) throw missingSecret(name)
    const typed = (await prompts.secret(`What is the ${SECRETS[name].title}? (nothing of it is shown)`)).trim()
    if (typed === '') throw missingSecret(name)
    secrets.set(name, Promise.resolve(typed))
    return concealed(typed)
  }

  function concealed(secret: string): string {
    conceal(secret)
    return secret
  }

  return { find, require, findSecret, requireSecret, secretOfFile }
}

function fileValue(name: PlainSettingName, file: ConfigurationFile | undefined): Found | undefined {
  const text = file?.values[name]
  if (file === undefined || text === undefined) return undefined
  const located = PLAIN_SETTINGS[name].isPath && text !== '' ? inFolder(file.folder, text) : text
  return { text: located, place: 'file', source: `"${name}" in ${file.path}` }
}

function inFolder(folder: string, path: string): string {
  return resolve(path) === path ? path : join(folder, path)
}

function readSetting<Name extends PlainSettingName>(name: Name, { text, place, source }: Found): SettingValue<Name> {
  try {
    return PLAIN_SETTINGS[name].read(text) as SettingValue<Name>
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const found = error.found === undefined ? '' : `, not "${error.found}"`
    const message = `${source} takes ${error.expected}${found}.`
    throw place === 'flag' ? new UsageError(message) : new ConfigurationError('setting_invalid', name, source, message)
  }
}

function missing(name: PlainSettingName): ConfigurationError {
  const { description, variable, flags } = PLAIN_SETTINGS[name]
  return new ConfigurationError(
    'setting_missing',
    name,
    '',
    `${longFlag(name)} is missing: ${description}. Pass ${flags}, set ${variable}, or put "${name}" into ${CONFIGURATION_FILE}.`,
  )
}

function missingSecret(name: SecretName): ConfigurationError {
  const { title, variable, file } = SECRETS[name]
  return new ConfigurationError(
    'setting_missing',
    variable,
    '',
    `no ${title} is given. Set ${variable}, or name a file that holds it with ${longFlag(file)}; at a terminal you are asked for it.`,
  )
}
