import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/** More links than the system follows. */
const MOST_LINKS = 40

/** The path of a file after symbolic links. The file may be missing, also at the end of a link: a program that creates it follows the link. */
export async function realPathOf(absolute: string, links = 0): Promise<string> {
  const known = await realpath(absolute).catch(() => undefined)
  if (known !== undefined || links > MOST_LINKS || dirname(absolute) === absolute) return known ?? absolute
  const place = join(await realPathOf(dirname(absolute), links + 1), basename(absolute))
  const target = await readlink(place).catch(() => undefined)
  return target === undefined ? place : await realPathOf(resolve(dirname(place), target), links + 1)
}

/** Whether a path, after symbolic links, is in one of these folders. */
export async function isInside(folders: readonly string[], absolute: string): Promise<boolean> {
  const real = await realPathOf(absolute)
  return folders.some((folder) => {
    const inside = relative(folder, real)
    return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
  })
}
