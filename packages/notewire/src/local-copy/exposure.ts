import { statSync } from 'node:fs'
import { fileArgument, shellCommand } from '../terminal/shell-quoted.ts'
import type { CopyFile } from './local-copy.ts'

const OTHERS_HAVE_ACCESS = 0o077

/** What to say if other users have access to the file of a copy: its owner may want that. Only the mode of an empty file is narrowed. */
export function exposureOf({ absolute, shown }: CopyFile): string | undefined {
  const { mode } = statSync(absolute)
  if (process.platform === 'win32' || (mode & OTHERS_HAVE_ACCESS) === 0) return undefined
  const remedy = shellCommand`chmod 600 ${fileArgument(shown)}`
  return `Others can read ${shown} (mode ${(mode & 0o777).toString(8)}), which contains your notes. Protect it: ${remedy}`
}
