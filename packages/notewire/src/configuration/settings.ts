import { resolve } from 'node:path'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { keyIdOf } from '@notewire/protocol'
import { CommandError, UsageError } from '../errors/failure.ts'
import { isInside, realPathOf } from '../files/real-path.ts'
import type { Prompts } from '../terminal/prompts.ts'
import { fileArgument, shellCommand } from '../terminal/shell-quoted.ts'
import { cut, printable } from '../terminal/width.ts'
import { databaseOutside, type Found, keyWithheld, mayReceive, refuseOutside } from './foreign-folder.ts'
import { ENV_FILE, type EnvFile, loadEnvFile, readSecretFile } from './setting-files.ts'
import {
  isSecret,
  longFlag,
  PLAIN_SETTINGS,
  type PlainSettingName,
  SECRETS,
  type SecretName,
  type SettingName,
} from './setting-table.ts'

/** The settings of one run. They are read when a command needs them. */
export interface Settings {
  /** Reads a setting, from the first source that has it: flag, environment, `.env`. */
  find(name: PlainSettingName): Promise<string | undefined>
  /** Reads a required setting. @throws CommandError `setting_missing` */
  require(name: PlainSettingName): Promise<string>
  /**
   * Reads a secret: from the file that a flag names, the environment, `.env`, or the file that one of them names.
   * If the working folder names the URL of the service, the API key comes from the same folder or from a flag.
   *
   * @throws CommandError `key_withheld` if the only API key comes from elsewhere
   */
  findSecret(name: SecretName): Promise<string | undefined>
  /** Like {@link Settings.findSecret}. At a terminal, it asks the user for a missing secret. */
  requireSecret(name: SecretName): Promise<string>
  /** Reads another secret, from the file that a flag of the command names: `--other-secret-file`. */
  secretOfFile(path: string, flag: string): Promise<string>
  /** Whether `.env` names the URL of the service, and a file (an absolute path) lies outside the folder of `.env`. */
  isServiceOfAnotherFolder(file: string): Promise<boolean>
}

export interface SettingSources {
  /** The values of the flags, by the names of the settings. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly workingFolder: string
  readonly prompts: Prompts
  readonly warn: (text: string) => void
  /** Called with every secret, so that no error shows it. */
  readonly conceal: (secret: string) => void
  /** Called with the source of the URL of the service, so that errors of the client name it. */
  readonly foundBaseUrl: (source: string) => void
}

interface FoundSecret extends Found {
  readonly read: () => Promise<string>
}

type Source = (name: SettingName) => Found | undefined

export function createSettings(sources: SettingSources): Settings {
  const { flags, env, workingFolder, prompts, warn, conceal, foundBaseUrl } = sources
  let envFile: ReturnType<typeof loadEnvFile> | undefined
  const secrets = new Map<SecretName, Promise<string | undefined>>()

  /** The sources in their order of precedence. `.env` is read only if the sources before it do not have the setting. */
  async function* sourcesInOrder(): AsyncGenerator<Source> {
    yield (name) => {
      const text = flags[name]
      return typeof text === 'string' && !isSecret(name) ? { text, source: longFlag(name), isFlag: true } : undefined
    }
    yield (name) => foundIn(env, name, { source: variableOf(name) })
    envFile ??= loadEnvFile(workingFolder)
    const { realFolder, variables }: EnvFile = await envFile
    // A variable that is empty in the environment removes the one in `.env`: `NOTES_BASE_URL= notewire …`.
    yield (name) => {
      const variable = variableOf(name)
      if (env[variable] === '') return undefined
      return foundIn(variables, name, { source: `${variable} in ${ENV_FILE}`, folder: realFolder })
    }
  }

  async function locate(name: PlainSettingName): Promise<Found | undefined> {
    for await (const source of sourcesInOrder()) {
      const found = source(name)
      if (found !== undefined) return found
    }
    return undefined
  }

  async function find(name: PlainSettingName): Promise<string | undefined> {
    const found = await locate(name)
    if (found === undefined) return undefined
    const value = readSetting(name, found)
    if (name === 'baseUrl') foundBaseUrl(found.source)
    const isOutside = name === 'database' && (await mayNotChange(found, resolve(workingFolder, value)))
    if (isOutside) throw databaseOutside(found.source)
    return value
  }

  /** Whether a setting comes from `.env`, and a file lies outside the folder of `.env` and outside the working folder. */
  async function mayNotChange(found: Found | undefined, absolute: string): Promise<boolean> {
    if (found?.folder === undefined) return false
    return !(await isInside([found.folder, await realPathOf(workingFolder)], absolute))
  }

  async function require(name: PlainSettingName): Promise<string> {
    const value = await find(name)
    if (value !== undefined) return value
    const { description, variable, flags } = PLAIN_SETTINGS[name]
    const message = `${longFlag(name)} is missing: ${description}. Pass ${flags}, or set ${variable} in the environment or in ${ENV_FILE}.`
    throw new CommandError('setting_missing', message)
  }

  function findSecret(name: SecretName): Promise<string | undefined> {
    const known = secrets.get(name) ?? searchSecret(name)
    secrets.set(name, known)
    return known
  }

  /** Finds a secret in every source that has it. */
  async function* foundSecrets(name: SecretName): AsyncGenerator<FoundSecret> {
    for await (const source of sourcesInOrder()) {
      const direct = source(name)
      const inFile = source(SECRETS[name].file)
      if (direct !== undefined) yield { ...direct, read: async () => concealed(direct.text.trim()) }
      else if (inFile !== undefined) yield { ...inFile, read: () => secretInFile(name, inFile) }
    }
  }

  async function searchSecret(name: SecretName): Promise<string | undefined> {
    const service = name === 'apiKey' ? await locate('baseUrl') : undefined
    let withheld: Found | undefined
    for await (const found of foundSecrets(name)) {
      if (mayReceive(service, found)) {
        warnUnused(withheld)
        return await found.read()
      }
      withheld ??= found
    }
    if (withheld !== undefined) throw keyWithheld(service, service && readSetting('baseUrl', service), withheld)
    return undefined
  }

  function warnUnused(key: Found | undefined): void {
    if (key !== undefined) warn(`${key.source} is not used: the URL and the key are those of this folder.`)
  }

  async function secretInFile(name: SecretName, found: Found): Promise<string> {
    const path = readSetting(SECRETS[name].file, found)
    if (found.folder !== undefined) await refuseOutside(found.folder, resolve(workingFolder, path), found.source)
    const secret = await secretOfFile(path, found.source)
    // The program sends an API key to the service, so it must not be the content of just any file.
    if (name !== 'apiKey' || keyIdOf(secret) !== undefined) return secret
    const message = `the file ${path}, named by ${found.source}, does not contain an API key, which looks like <prefix>_live_<key id>.<secret>. Name the file that contains the key, and nothing else.`
    throw new CommandError('secret_unreadable', message)
  }

  async function secretOfFile(path: string, source: string): Promise<string> {
    const { secret, exposedMode } = await readSecretFile(resolve(workingFolder, path), path, source)
    if (exposedMode !== undefined) {
      warn(
        `Others can read ${path} (mode ${exposedMode}). Protect it: ${shellCommand`chmod 600 ${fileArgument(path)}`}`,
      )
    }
    return concealed(secret)
  }

  async function requireSecret(name: SecretName): Promise<string> {
    const secret = await findSecret(name)
    if (secret !== undefined) return secret
    if (!prompts.available) throw missingSecret(name)
    const service = name === 'apiKey' ? await find('baseUrl') : undefined
    const recipient = service === undefined ? '' : ` for ${new URL(service).host}`
    const typed = (
      await prompts.secret(`What is the ${SECRETS[name].title}${recipient}? (the terminal does not show it)`)
    ).trim()
    if (typed === '') throw missingSecret(name)
    secrets.set(name, Promise.resolve(typed))
    return concealed(typed)
  }

  function concealed(secret: string): string {
    conceal(secret)
    return secret
  }

  const isServiceOfAnotherFolder = async (file: string) => await mayNotChange(await locate('baseUrl'), file)

  return { find, require, findSecret, requireSecret, secretOfFile, isServiceOfAnotherFolder }
}

function variableOf(name: SettingName): string {
  return isSecret(name) ? SECRETS[name].variable : PLAIN_SETTINGS[name].variable
}

function foundIn(variables: SettingSources['env'], name: SettingName, place: Omit<Found, 'text'>): Found | undefined {
  const text = variables[variableOf(name)]
  return text === undefined || text === '' ? undefined : { text, ...place }
}

function readSetting(name: PlainSettingName, { text, source, isFlag }: Found): string {
  try {
    return PLAIN_SETTINGS[name].read(text)
  } catch (error) {
    const isInvalid = error instanceof InvalidArgumentError
    if (!isInvalid && !(error instanceof UsageError)) throw error
    // The user may not be the author of the file: the value can be long, and can contain control characters.
    const shown = cut(printable(text.slice(0, 1_000)), 80)
    const message = isInvalid ? `${source} is "${shown}". ${error.message}` : `${source}: ${error.message}`
    throw isFlag ? new UsageError(message) : new CommandError('setting_invalid', message)
  }
}

function missingSecret(name: SecretName): CommandError {
  const { title, variable, file } = SECRETS[name]
  const message = `the ${title} is missing. Set ${variable}, or pass a file that contains it with ${longFlag(file)}; at a terminal, the program asks for it.`
  return new CommandError('setting_missing', message)
}
