import { access } from 'node:fs/promises'

/** Tells whether something of this name is there. */
export async function fileExists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}
