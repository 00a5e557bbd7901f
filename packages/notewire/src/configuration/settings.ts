import { isAbsolute, join, resolve } from 'node:path'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { CommandError, UsageError } from '../errors/failure.ts'
import type { Prompts } from '../terminal/prompts.ts'
import { type ConfigurationFile, loadConfigurationFile, loadEnvFile } from './configuration-file.ts'
import { readSecretFile } from './secret-file.ts'
import {
  CONFIGURATION_FILE,
  ENV_FILE,
  isSecret,
  longFlag,
  PLAIN_SETTINGS,
  type PlainSettingName,
  SECRETS,
  type SecretName,
  type SettingName,
} from './setting-table.ts'
import { path } from './value-readers.ts'

/** The settings of one run. They are read when a command needs them. */
export interface Settings {
  /** Reads a setting, from the first source that has it: flag, environment, `.env`, configuration file. */
  find(name: PlainSettingName): Promise<string | undefined>
  /** Reads a required setting. @throws CommandError `setting_missing` */
  require(name: PlainSettingName): Promise<string>
  /** Reads a secret: from the file that a flag names, the environment, `.env`, or the file that the environment or configuration names. */
  findSecret(name: SecretName): Promise<string | undefined>
  /** Like {@link Settings.findSecret}. At a terminal, it asks the user for a missing secret. */
  requireSecret(name: SecretName): Promise<string>
  /** Reads another secret, from the file that a flag of the command names: `--other-secret-file`. */
  secretOfFile(path: string, flag: string): Promise<string>
}

export interface SettingSources {
  /** The values of the flags, by the names of the settings. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly workingFolder: string
  readonly configurationPath: string | undefined
  readonly prompts: Prompts
  readonly warn: (text: string) => void
  /** Called with every secret, so that no error shows it. */
  readonly conceal: (secret: string) => void
}

/** A value and its source. */
interface Found {
  readonly text: string
  /** `--base-url`, `NOTES_BASE_URL`, `NOTES_BASE_URL in .env`, `"baseUrl" in notewire.config.json`. */
  readonly source: string
  readonly isFlag?: boolean
}

type Source = (name: SettingName) => Found | undefined

export function createSettings(sources: SettingSources): Settings {
  const { flags, env, workingFolder, configurationPath, prompts, warn, conceal } = sources
  let envFile: ReturnType<typeof loadEnvFile> | undefined
  let configuration: ReturnType<typeof loadConfigurationFile> | undefined
  const secrets = new Map<SecretName, Promise<string | undefined>>()

  /** The sources in their order of precedence. A file is read only if the sources before it do not have the setting. */
  async function* sourcesInOrder(): AsyncGenerator<Source> {
    yield (name) => {
      const text = flags[name]
      return typeof text === 'string' && !isSecret(name) ? { text, source: longFlag(name), isFlag: true } : undefined
    }
    yield (name) => foundIn(env, name, variableOf(name))
    envFile ??= loadEnvFile(workingFolder)
    const variables = await envFile
    // A variable that is empty in the environment overrides `.env`, so that a user can remove it: `NOTES_BASE_URL= notewire …`.
    yield (name) =>
      env[variableOf(name)] === undefined ? foundIn(variables, name, `${variableOf(name)} in ${ENV_FILE}`) : undefined
    configuration ??= loadConfigurationFile(workingFolder, configurationPath)
    const file = await configuration
    if (file !== undefined) yield (name) => foundInConfiguration(file, name)
  }

  async function find(name: PlainSettingName): Promise<string | undefined> {
    for await (const source of sourcesInOrder()) {
      const found = source(name)
      if (found !== undefined) return readSetting(name, found)
    }
    return undefined
  }

  async function require(name: PlainSettingName): Promise<string> {
    const value = await find(name)
    if (value !== undefined) return value
    const { description, variable, flags } = PLAIN_SETTINGS[name]
    const message = `${longFlag(name)} is missing: ${description}. Pass ${flags}, set ${variable}, or put "${name}" into ${CONFIGURATION_FILE}.`
    throw new CommandError('setting_missing', message)
  }

  function findSecret(name: SecretName): Promise<string | undefined> {
    const known = secrets.get(name) ?? searchSecret(name)
    secrets.set(name, known)
    return known
  }

  async function searchSecret(name: SecretName): Promise<string | undefined> {
    const { file } = SECRETS[name]
    for await (const source of sourcesInOrder()) {
      const direct = source(name)
      if (direct !== undefined) return concealed(direct.text.trim())
      const named = source(file)
      if (named !== undefined) return await secretOfFile(readSetting(file, named), named.source)
    }
    return undefined
  }

  async function secretOfFile(path: string, source: string): Promise<string> {
    const { secret, exposedMode } = await readSecretFile(resolve(workingFolder, path), path, source)
    if (exposedMode !== undefined) {
      warn(`Others can read ${path} (mode ${exposedMode}). Protect it: chmod 600 ${path}`)
    }
    return concealed(secret)
  }

  async function requireSecret(name: SecretName): Promise<string> {
    const secret = await findSecret(name)
    if (secret !== undefined) return secret
    if (!prompts.available) throw missingSecret(name)
    const typed = (await prompts.secret(`What is the ${SECRETS[name].title}? (the terminal does not show it)`)).trim()
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

function variableOf(name: SettingName): string {
  return isSecret(name) ? SECRETS[name].variable : PLAIN_SETTINGS[name].variable
}

function foundIn(variables: SettingSources['env'], name: SettingName, source: string): Found | undefined {
  const text = variables[variableOf(name)]
  return text === undefined || text === '' ? undefined : { text, source }
}

function foundInConfiguration({ path: file, folder, values }: ConfigurationFile, name: SettingName): Found | undefined {
  if (isSecret(name)) return undefined
  const text = values[name]
  if (text === undefined) return undefined
  const isRelativePath = PLAIN_SETTINGS[name].read === path && text !== '' && !isAbsolute(text)
  return { text: isRelativePath ? join(folder, text) : text, source: `"${name}" in ${file}` }
}

function readSetting(name: PlainSettingName, { text, source, isFlag }: Found): string {
  try {
    return PLAIN_SETTINGS[name].read(text)
  } catch (error) {
    const isInvalid = error instanceof InvalidArgumentError
    if (!isInvalid && !(error instanceof UsageError)) throw error
    const message = isInvalid ? `${source} is "${text}". ${error.message}` : `${source}: ${error.message}`
    throw isFlag ? new UsageError(message) : new CommandError('setting_invalid', message)
  }
}

function missingSecret(name: SecretName): CommandError {
  const { title, variable, file } = SECRETS[name]
  const message = `the ${title} is missing. Set ${variable}, or pass a file that contains it with ${longFlag(file)}; at a terminal, the program asks for it.`
  return new CommandError('setting_missing', message)
}
