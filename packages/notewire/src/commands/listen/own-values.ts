import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ENV_FILE, loadEnvFile } from '../../configuration/setting-files.ts'
import { readRegularFile } from '../../files/regular-file.ts'

/**
 * A comment in `.env` with digests of the values that `listen` made up for its mock service. Only these values are used again: another key
 * or secret in the file may be a real one. A value that was changed has another digest.
 */
const MARK = /^# Made up by notewire listen, for its mock service only: ([0-9a-f ]{12,200})\r?$/gm

type Variables = Readonly<Record<string, string | undefined>>

/** The names of the values that are made up. */
const SECRETS = ['NOTES_API_KEY', 'NOTES_SIGNING_SECRET']

/** The comment that marks these values, or `undefined` if none of them is made up. */
export function markOf(variables: readonly (readonly [name: string, value: string])[]): string | undefined {
  const digests = variables.filter(([name]) => SECRETS.includes(name)).map(([name, value]) => digestOf(name, value))
  return digests.length === 0
    ? undefined
    : `# Made up by notewire listen, for its mock service only: ${digests.join(' ')}`
}

/** The values of `.env` that are marked as made up. */
export async function ownValuesIn(workingFolder: string): Promise<Variables> {
  const { variables } = await loadEnvFile(workingFolder)
  const { content } = await readRegularFile(join(workingFolder, ENV_FILE)).catch(() => ({ content: '' }))
  const digests = new Set([...content.matchAll(MARK)].flatMap(([, list = '']) => list.split(' ')))
  const own = SECRETS.flatMap((name) => {
    const value = variables[name]
    return value !== undefined && digests.has(digestOf(name, value)) ? [[name, value] as const] : []
  })
  return Object.fromEntries(own)
}

function digestOf(name: string, value: string): string {
  return createHash('sha256').update(`${name}=${value}`).digest('hex').slice(0, 12)
}

/** The digests of the key and of the secret that version 0.1.0 wrote into every `.env`. */
const PUBLIC_VALUES = [
  'a460edf9c50b52660d714ed0a1bea9773664696cfe9ac0d167c7a7a7c1bc187c',
  'e9cca6e157b74f979f69c243c2c991685da6f33b17ba8933bf8198e413b02939',
]

/** Whether a value is the same on every machine, so that everyone knows it. */
export function isPublic(value: string | undefined): boolean {
  return value !== undefined && PUBLIC_VALUES.includes(createHash('sha256').update(value).digest('hex'))
}
