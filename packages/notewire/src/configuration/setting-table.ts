import { Option } from '@commander-js/extra-typings'
import { UsageError } from '../errors/failure.ts'
import { httpUrl, path, text, type ValueReader } from './value-readers.ts'

/** The configuration file that the program looks for in the working folder. */
export const CONFIGURATION_FILE = 'notewire.config.json'

/** The file with variables that the program looks for in the working folder. */
export const ENV_FILE = '.env'

/** A setting. It comes from a flag, the environment, `.env` or the configuration file: the first of them that has it. */
export interface SettingDeclaration<Value> {
  /** The flag, whose name in camel case is the name of the setting. */
  readonly flags: string
  readonly description: string
  readonly variable: string
  readonly read: ValueReader<Value>
}

/** A secret. It comes from the environment, a file or a prompt; the history of the shell would keep a flag. */
export interface SecretDeclaration {
  readonly title: string
  readonly variable: string
  /** The setting that names the file which holds it. */
  readonly file: PlainSettingName
  /** Flags that a user might try. The program rejects them with an explanation. */
  readonly refusedFlags: readonly string[]
  /** Fields of the configuration file that a user might try. The program rejects them, too. */
  readonly exposedAs: RegExp
}

export const PLAIN_SETTINGS = {
  baseUrl: {
    flags: '--base-url <url>',
    description: 'where the notes service is, without /v1',
    variable: 'NOTES_BASE_URL',
    read: httpUrl,
  },
  apiKeyFile: {
    flags: '--api-key-file <file>',
    description: 'a file that contains only the API key',
    variable: 'NOTES_API_KEY_FILE',
    read: path,
  },
  secretFile: {
    flags: '--secret-file <file>',
    description: 'a file that contains only the signing secret',
    variable: 'NOTES_SIGNING_SECRET_FILE',
    read: path,
  },
  forwardSecretFile: {
    flags: '--forward-secret-file <file>',
    description: 'a file that contains only the secret of the receiver to forward to',
    variable: 'NOTEWIRE_FORWARD_SECRET_FILE',
    read: path,
  },
  notesField: {
    flags: '--notes-field <name>',
    description: 'the field of the list response that contains the notes (open point 1)',
    variable: 'NOTES_LIST_FIELD',
    read: text,
  },
  database: {
    flags: '--database <file>',
    description: 'the SQLite file of the local copy; notes.db by default',
    variable: 'NOTEWIRE_DATABASE',
    read: path,
  },
} as const satisfies Readonly<Record<string, SettingDeclaration<unknown>>>

export const SECRETS = {
  apiKey: {
    title: 'API key',
    variable: 'NOTES_API_KEY',
    file: 'apiKeyFile',
    refusedFlags: ['--api-key', '--apikey', '--key', '--token'],
    exposedAs: /^(api[_-]?)?(key|token)$/i,
  },
  signingSecret: {
    title: 'signing secret',
    variable: 'NOTES_SIGNING_SECRET',
    file: 'secretFile',
    refusedFlags: ['--secret', '--signing-secret'],
    exposedAs: /^(signing|webhook)?[_-]?secret$/i,
  },
  forwardSecret: {
    title: 'secret of the other receiver',
    variable: 'NOTEWIRE_FORWARD_SECRET',
    file: 'forwardSecretFile',
    refusedFlags: ['--forward-secret'],
    exposedAs: /^forward[_-]?secret$/i,
  },
} as const satisfies Readonly<Record<string, { readonly file: string } & Omit<SecretDeclaration, 'file'>>>

export type PlainSettingName = keyof typeof PLAIN_SETTINGS

export type SecretName = keyof typeof SECRETS

export type SettingName = PlainSettingName | SecretName

export type SettingValue<Name extends PlainSettingName> = ReturnType<(typeof PLAIN_SETTINGS)[Name]['read']>

/** The flag of a setting, as it is typed: `--base-url`. */
export function longFlag(name: PlainSettingName): string {
  return PLAIN_SETTINGS[name].flags.replace(/ .*/, '')
}

export function isSecret(name: SettingName): name is SecretName {
  return Object.hasOwn(SECRETS, name)
}

export function isPlainSetting(name: string): name is PlainSettingName {
  return Object.hasOwn(PLAIN_SETTINGS, name)
}

export function variableOf(name: SettingName): string {
  return isSecret(name) ? SECRETS[name].variable : PLAIN_SETTINGS[name].variable
}

/** The option by which a command takes a setting; for a secret, the option that names its file. */
export function optionOf(name: SettingName): Option {
  const { flags, description, variable } = PLAIN_SETTINGS[isSecret(name) ? SECRETS[name].file : name]
  const direct = isSecret(name) ? `; ${SECRETS[name].variable} contains it itself` : ''
  return new Option(flags, `${description} (or ${variable}${direct})`)
}

export function isSettingOption({ flags }: Option): boolean {
  return Object.values(PLAIN_SETTINGS).some((setting) => setting.flags === flags)
}

/**
 * Rejects secrets among the arguments, before the program parses them, and without quoting them.
 *
 * @throws `UsageError` that says where the secret belongs
 */
export function refuseSecretFlags(args: readonly string[]): void {
  for (const argument of args) {
    const [flag = ''] = argument.split('=')
    const secret = Object.values(SECRETS).find(({ refusedFlags }) => refusedFlags.some((refused) => refused === flag))
    if (secret === undefined) continue
    const { title, variable, file } = secret
    throw new UsageError(
      `the program does not accept ${flag}: typed arguments stay in the history of the shell, and every user of the machine can see them. Set ${variable}, or pass a file that contains the ${title} with ${longFlag(file)}. If you have typed the ${title} here, make a new one.`,
    )
  }
}
