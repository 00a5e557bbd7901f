import { Option } from '@commander-js/extra-typings'
import { UsageError } from '../errors/failure.ts'
import { httpUrl, integrationId, path, text, type ValueReader } from './value-readers.ts'

/** A setting. It comes from the first of these that has it: a flag, the environment, `.env`. */
interface SettingDeclaration {
  /** The flag, whose name in camel case is the name of the setting. */
  readonly flags: string
  readonly description: string
  /** The environment variable. */
  readonly variable: string
  readonly read: ValueReader<string>
}

/** A secret. It comes from the environment, a file or a prompt. There is no flag, because the history of the shell would contain it. */
interface SecretDeclaration {
  readonly title: string
  readonly variable: string
  /** The setting that names the file with the secret. */
  readonly file: PlainSettingName
  /** The flags that a user might try. The program rejects them with an explanation. */
  readonly refused: RegExp
}

export const PLAIN_SETTINGS = {
  baseUrl: setting('--base-url <url>', 'NOTES_BASE_URL', httpUrl, 'where the notes service is, without /v1'),
  apiKeyFile: setting('--api-key-file <file>', 'NOTES_API_KEY_FILE', path, 'a file that contains only the API key'),
  secretFile: setting(
    '--secret-file <file>',
    'NOTES_SIGNING_SECRET_FILE',
    path,
    'a file that contains only the signing secret',
  ),
  forwardSecretFile: setting(
    '--forward-secret-file <file>',
    'NOTEWIRE_FORWARD_SECRET_FILE',
    path,
    'a file that contains only the secret of the receiver to forward to',
  ),
  notesField: setting(
    '--notes-field <name>',
    'NOTES_LIST_FIELD',
    text,
    'the field of the list response that contains the notes; notes by default',
  ),
  database: setting(
    '--database <file>',
    'NOTEWIRE_DATABASE',
    path,
    'the SQLite file of the local copy; notes.db by default',
  ),
  integration: setting(
    '--integration <id>',
    'NOTEWIRE_INTEGRATION',
    integrationId,
    'the integration whose copy it is, if the file contains several; default by default',
  ),
}

export type PlainSettingName = keyof typeof PLAIN_SETTINGS

export type SecretName = 'apiKey' | 'signingSecret' | 'forwardSecret'

export type SettingName = PlainSettingName | SecretName

export const SECRETS: Readonly<Record<SecretName, SecretDeclaration>> = {
  apiKey: {
    title: 'API key',
    variable: 'NOTES_API_KEY',
    file: 'apiKeyFile',
    refused: /^--(?:api[_-]?)?(?:key|token)$/i,
  },
  signingSecret: {
    title: 'signing secret',
    variable: 'NOTES_SIGNING_SECRET',
    file: 'secretFile',
    refused: /^--(?:signing|webhook)?[_-]?secret$/i,
  },
  forwardSecret: {
    title: 'secret of the other receiver',
    variable: 'NOTEWIRE_FORWARD_SECRET',
    file: 'forwardSecretFile',
    refused: /^--forward[_-]?secret$/i,
  },
}

function setting(flags: string, variable: string, read: ValueReader<string>, description: string): SettingDeclaration {
  return { flags, variable, read, description }
}

/** The flag of a setting, as it is typed: `--base-url`. */
export function longFlag(name: PlainSettingName): string {
  return PLAIN_SETTINGS[name].flags.replace(/ .*/, '')
}

export function isSecret(name: SettingName): name is SecretName {
  return Object.hasOwn(SECRETS, name)
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
    const secret = Object.values(SECRETS).find(({ refused }) => refused.test(flag))
    if (secret === undefined) continue
    const { title, variable, file } = secret
    const message = `the program does not accept ${flag}: typed arguments stay in the history of the shell, and every user of the machine can see them. Set ${variable}, or pass a file that contains the ${title} with ${longFlag(file)}. If you have typed the ${title} here, make a new one.`
    throw new UsageError(message)
  }
}
