import { lstat, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ENV_FILE, loadEnvFile } from '../../configuration/setting-files.ts'
import type { Context } from '../../context/context.ts'
import { isSystemError, systemError, systemReason } from '../../errors/system-error.ts'
import { isAlive, writePrivately } from '../../files/private-file.ts'
import { readRegularFile } from '../../files/regular-file.ts'
import { isPublic, markOf } from './own-values.ts'
import { putBack, type Replacement, setVariables } from './replaced-lines.ts'

interface Offer {
  /** Values by the names of variables. */
  readonly settings: Readonly<Record<string, string>>
  /** Whether the user has agreed already, with `--yes`. */
  readonly isAgreed: boolean
  /** Whether the key and the secret were made up for a mock service. They may then be printed, and are used again by the next `listen`. */
  readonly isMadeUp: boolean
}

type OfferContext = Pick<Context, 'workingFolder' | 'prompts' | 'output'>

/**
 * Writes the settings of an application to `.env`, once the user has agreed. Otherwise it prints them.
 *
 * @returns puts back the lines that were replaced, when it is disposed
 */
export async function offerSettings(
  { settings, isAgreed, isMadeUp }: Offer,
  context: OfferContext,
): Promise<AsyncDisposable> {
  const { workingFolder, prompts, output } = context
  const restoring = { [Symbol.asyncDispose]: () => restore((pid) => pid === process.pid, context) }
  const { variables: present } = await loadEnvFile(workingFolder)
  const missing = Object.entries(settings).filter(([name, value]) => present[name] !== value)
  if (missing.length === 0) return restoring
  const names = missing.map(([name]) => name)
  const replaced = names.filter((name) => present[name] && !isPublic(present[name]))
  const question = `Write ${names.join(', ')} to ${ENV_FILE}?${replaced.length === 0 ? '' : ` This replaces ${replaced.join(', ')} until listen ends.`}`
  if (await prompts.confirm(question, isAgreed, replaced.length === 0)) {
    try {
      const written = await changeEnvFile(workingFolder, (before) => withVariables(before, missing, isMadeUp))
      output.tell(`Wrote ${names.join(', ')} to ${ENV_FILE}.`)
      await warnIfExposed(context)
      if (written.length > 0) {
        output.tell(
          `It replaced ${written.join(', ')}: the old line stays in ${ENV_FILE} as a comment, and is put back when listen ends.`,
        )
      }
      return restoring
    } catch (error) {
      output.warn(`${ENV_FILE} was not written: ${systemReason(error)}.`)
    }
  }
  await showSettings(missing, isMadeUp, context)
  return restoring
}

/** Puts back the lines that a killed process replaced. */
export async function restoreOldLines(context: OfferContext): Promise<void> {
  await restore((pid) => !isAlive(pid), context)
}

type Values = readonly (readonly [name: string, value: string])[]

/** Sets variables, and marks the values that are made up. Lines that are put back later, or removed, need no mark. */
function withVariables(before: string, variables: Values, isMadeUp: boolean): Replacement {
  const after = setVariables(before, variables, process.pid)
  const mark = isMadeUp && after.names.length === 0 ? markOf(variables) : undefined
  if (mark === undefined) return after
  const beginning = before === '' || before.endsWith('\n') ? before : `${before}\n`
  return setVariables(`${beginning}${mark}\n`, variables, process.pid)
}

async function warnIfExposed({ workingFolder, output }: OfferContext): Promise<void> {
  const { mode } = await stat(join(workingFolder, ENV_FILE))
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  output.warn(`Others can read ${ENV_FILE} (mode ${(mode & 0o777).toString(8)}). Protect it: chmod 600 ${ENV_FILE}`)
}

async function showSettings(missing: Values, isMadeUp: boolean, { output }: OfferContext): Promise<void> {
  if (isMadeUp) {
    const lines = missing.map(([name, value]) => `${name}=${value}`)
    const record = Object.fromEntries(missing.map(([name, value]) => [name.toLowerCase(), value]))
    const heading = `The application needs these settings, for example in ${ENV_FILE}:`
    // With the mark, the next `listen` knows the values again.
    await output.print({ env: record }, [heading, markOf(missing) ?? [], lines].flat())
  } else {
    const names = missing.map(([name]) => name).join(', ')
    output.warn(
      `The application needs the signing secret of this endpoint as ${names}. Pass --yes to write it to ${ENV_FILE}, or set NOTEWIRE_FORWARD_SECRET to the secret that the application has.`,
    )
  }
}

async function restore(isOver: (pid: number) => boolean, { workingFolder, output }: OfferContext): Promise<void> {
  try {
    const names = await changeEnvFile(workingFolder, (before) => putBack(before, isOver))
    if (names.length > 0) output.tell(`Put ${names.join(', ')} back into ${ENV_FILE}, as before listen.`)
  } catch (error) {
    output.warn(
      `The replaced lines of ${ENV_FILE} were not put back: ${systemReason(error)}. They are comments in the file.`,
    )
  }
}

/** Changes `.env`, and keeps its mode. @returns the names of the replaced variables */
async function changeEnvFile(folder: string, change: (before: string) => Replacement): Promise<readonly string[]> {
  const path = join(folder, ENV_FILE)
  const {
    content: before,
    mode,
    isUtf8,
  } = await readRegularFile(path).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT')) return { content: '', mode: 0o600, isUtf8: true }
    throw error
  })
  const { text: after, names } = change(before)
  if (after === before) return names
  await refuseLink(path)
  if (isUtf8 && after.startsWith(before)) {
    await using file = await open(path, 'a', 0o600)
    await file.appendFile(after.slice(before.length))
    return names
  }
  await writePrivately(path, async (replacement) => {
    await replacement.chmod(mode & 0o777)
    await replacement.writeFile(after)
  })
  return names
}

/** A link in a repository could lead to any file of the user. */
async function refuseLink(path: string): Promise<void> {
  const status = await lstat(path).catch(() => undefined)
  if (status?.isSymbolicLink()) throw systemError('EMLINK', path)
}
