import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Patch, plantedBugs } from './planted-bugs.ts'

const PACKAGES = join(import.meta.dirname, '../../packages')

/**
 * Has everything that this thread imports from now on contain the bug.
 *
 * @throws an error when the bug does not fit the code any more
 */
export function plant(name: string): void {
  const patches = plantedBugs.find((bug) => bug.name === name)?.patches
  if (patches === undefined) throw new Error(`There is no bug '${name}' to be planted.`)
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const here = patches.filter(({ file }) => url === pathToFileURL(join(PACKAGES, file)).href)
      if (here.length === 0) return loaded
      return { ...loaded, source: here.reduce((source, patch) => applied(patch, source, name), String(loaded.source)) }
    },
  })
}

/** @throws an error when the text that the patch replaces is not there exactly once */
function applied({ file, find, replace }: Patch, source: string, name: string): string {
  const [before, after, ...others] = source.split(find)
  if (before !== undefined && after !== undefined && others.length === 0) return before + replace + after
  throw new Error(
    `The planted bug '${name}' does not fit ${file} any more, which must hold exactly once:\n${find}\n` +
      'Adapt it in tests/mirror-simulator/planted-bugs.ts.',
  )
}
