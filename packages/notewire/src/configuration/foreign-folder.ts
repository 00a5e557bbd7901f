import { CommandError } from '../errors/failure.ts'
import { isInside } from '../files/real-path.ts'
import { shellCommand } from '../terminal/shell-quoted.ts'
import { ENV_FILE } from './setting-files.ts'

/** A value and its source. */
export interface Found {
  readonly text: string
  /** `--base-url`, `NOTES_BASE_URL`, `NOTES_BASE_URL in .env`. */
  readonly source: string
  readonly isFlag?: boolean
  /** The folder of the `.env` that contains it. Paths in the file stay in this folder. */
  readonly folder?: string
}

/** A folder that the user did not write must not make the program send the user's key to a URL of its choice. */
export function mayReceive(service: Found | undefined, key: Found): boolean {
  return service?.folder === undefined || key.isFlag === true || key.folder === service.folder
}

/** @param url  the base URL of the service */
export function keyWithheld(service: Found | undefined, url: string | undefined, key: Found): CommandError {
  const message = `the API key of ${key.source} is not sent to ${url}: this URL comes from ${service?.source}, and the key from elsewhere, so the author of the file would get your key. If you trust this service with the key, pass ${shellCommand`--base-url ${url ?? '<url>'}`}, or put the key into ${ENV_FILE} of the same folder.`
  return new CommandError('key_withheld', message)
}

/** A folder that the user did not write must not make the program change a copy of the user elsewhere. */
export function databaseOutside(source: string): CommandError {
  const message = `${source} names a file that lies outside the folder of the setting. The author of the setting could change another copy of yours. Move the file into the folder, or name it with --database or in the environment.`
  return new CommandError('setting_invalid', message)
}

/** Rejects a path that leads out of a folder, also by symbolic links. */
export async function refuseOutside(folder: string, absolute: string, source: string): Promise<void> {
  if (await isInside([folder], absolute)) return
  const message = `${source} names a file that lies outside the folder of the setting. Such a file may be the secret of another program. Move the file into the folder, or name it by a flag or in the environment.`
  throw new CommandError('secret_unreadable', message)
}
