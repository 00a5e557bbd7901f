import { open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { loadEnvFile } from '../configuration/configuration-file.ts'
import { ENV_FILE } from '../configuration/setting-table.ts'
import type { Context } from '../context/context.ts'
import { systemReason } from '../errors/system-error.ts'
import { writePrivately } from '../files/private-file.ts'

interface Offer {
  /** Values by the names of variables. */
  readonly settings: Readonly<Record<string, string>>
  /** Whether the user has agreed already, with `--yes`. */
  readonly isAgreed: boolean
  /** Whether the values may be printed if they are not written. */
  readonly isPrintable: boolean
}

/** Writes the settings of an application to `.env`, once the user has agreed. Otherwise it prints them. */
export async function offerSettings(
  { settings, isAgreed, isPrintable }: Offer,
  { workingFolder, prompts, output }: Pick<Context, 'workingFolder' | 'prompts' | 'output'>,
): Promise<void> {
  const { variables: present } = await loadEnvFile(workingFolder)
  const missing = Object.entries(settings).filter(([name, value]) => present[name] !== value)
  if (missing.length === 0) return
  const names = missing.map(([name]) => name)
  const replaced = names.filter((name) => present[name])
  const question = `Write ${names.join(', ')} to ${ENV_FILE}?${replaced.length === 0 ? '' : ` This replaces ${replaced.join(', ')}.`}`
  if (isAgreed || (prompts.available && (await prompts.confirm(question)))) {
    try {
      await writeVariables(join(workingFolder, ENV_FILE), missing)
      return output.tell(`Wrote ${names.join(', ')} to ${ENV_FILE}.`)
    } catch (error) {
      output.warn(`${ENV_FILE} was not written: ${systemReason(error)}.`)
    }
  }
  if (isPrintable) {
    const lines = missing.map(([name, value]) => `${name}=${value}`)
    const record = Object.fromEntries(missing.map(([name, value]) => [name.toLowerCase(), value]))
    await output.print(
      { env: record },
      `The application needs these settings, for example in ${ENV_FILE}:\n${lines.join('\n')}`,
    )
  } else {
    output.warn(
      `The application needs the signing secret of this endpoint as ${names.join(', ')}. Pass --yes to write it to ${ENV_FILE}, or set NOTEWIRE_FORWARD_SECRET to the secret that the application has.`,
    )
  }
}

/** Sets variables in a file in the format of `.env`. All other lines stay, and the mode of the file. */
async function writeVariables(path: string, variables: readonly (readonly [name: string, value: string])[]) {
  await using file = await open(path, 'a+', 0o600)
  const before = await file.readFile('utf8')
  let after = before
  for (const [name, value] of variables) {
    const line = new RegExp(`^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=).*$`, 'gm')
    if (line.test(after)) after = after.replace(line, (_line, beginning) => beginning + value)
    else after += `${after === '' || after.endsWith('\n') ? '' : '\n'}${name}=${value}\n`
  }
  if (after.startsWith(before)) return await file.appendFile(after.slice(before.length))
  const { mode } = await file.stat()
  await writePrivately(await realpath(path), async (replacement) => {
    await replacement.chmod(mode & 0o777)
    await replacement.writeFile(after)
  })
}
