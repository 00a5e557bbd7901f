import { longName } from '../commands/declarations.ts'
import { httpUrl, path, text, type ValueReader } from '../commands/value-readers.ts'

/** A setting that may be given in three places: flag, environment, configuration file. The first that has it counts. */
export interface SettingDeclaration<Value> {
  readonly flags: string
  readonly description: string
  /** The environment variable. In the configuration file, a setting goes by its own name. */
  readonly variable: string
  /** Whether it is a path: one in the configuration file starts from the folder of that file. */
  readonly isPath: boolean
  readonly read: ValueReader<Value>
}

/** A secret: from the environment, a file or a prompt, and never from a flag, which would end in the history of the shell. */
export interface SecretDeclaration {
  /** What it is, in words. */
  readonly title: string
  /** The variable that holds it. */
  readonly variable: string
  /** The setting that names the file which holds it. */
  readonly file: PlainSettingName
  /** Flags that somebody might try: refused with an explanation. */
  readonly refusedFlags: readonly string[]
  /** Names that somebody might give it in the configuration file: refused, too. */
  readonly exposedAs: RegExp
}

/** Settings that are no secrets. */
export const PLAIN_SETTINGS = {
  baseUrl: {
    flags: '--base-url <url>',
    description: 'where the notes service is, without /v1',
    variable: 'NOTES_BASE_URL',
    isPath: false,
    read: httpUrl,
  },
  apiKeyFile: {
    flags: '--api-key-file <file>',
    description: 'a file that holds the API key and nothing else',
    variable: 'NOTES_API_KEY_FILE',
    isPath: true,
    read: path,
  },
  secretFile: {
    flags: '--secret-file <file>',
    description: 'a file that holds the signing secret and nothing else',
    variable: 'NOTES_SIGNING_SECRET_FILE',
    isPath: true,
    read: path,
  },
  forwardSecretFile: {
    flags: '--forward-secret-file <file>',
    description: 'a file that holds the secret to sign anew with',
    variable: 'NOTEWIRE_FORWARD_SECRET_FILE',
    isPath: true,
    read: path,
  },
  notesField: {
    flags: '--notes-field <name>',
    description: 'the field of the list answer that holds the notes (open point 1)',
    variable: 'NOTES_LIST_FIELD',
    isPath: false,
    read: text,
  },
  database: {
    flags: '--database <file>',
    description: 'the SQLite file of the local copy (default: notes.db)',
    variable: 'NOTEWIRE_DATABASE',
    isPath: true,
    read: path,
  },
} as const satisfies Readonly<Record<string, SettingDeclaration<unknown>>>

/** The secrets. */
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

/** The name of a setting that is no secret. */
export type PlainSettingName = keyof typeof PLAIN_SETTINGS

/** The name of a secret. */
export type SecretName = keyof typeof SECRETS

/** What a command can declare that it reads. A secret brings the flag of its file. */
export type SettingName = PlainSettingName | SecretName

/** What a setting is, once read. */
export type SettingValue<Name extends PlainSettingName> = ReturnType<(typeof PLAIN_SETTINGS)[Name]['read']>

/** The flag of a setting, as it is typed: `--base-url`. */
export function longFlag(name: PlainSettingName): string {
  return longName(PLAIN_SETTINGS[name].flags)
}

/** Tells whether a setting is a secret. */
export function isSecret(name: SettingName): name is SecretName {
  return Object.hasOwn(SECRETS, name)
}

/** The setting that a flag exists for: of a secret, the one that names its file. */
export function plainNameOf(name: SettingName): PlainSettingName {
  return isSecret(name) ? SECRETS[name].file : name
}
