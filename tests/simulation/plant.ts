import { registerHooks } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { WORKSPACE } from '../../scripts/run.ts'
import type { StoreName } from './history.ts'
import type { Patch } from './patch.ts'
import type { Simulator } from './simulator.ts'

/**
 * Has everything that this thread imports from now on contain the bug.
 *
 * @throws an error when there is no such bug, or when it does not fit the code any more
 */
export function plant(simulator: Simulator, bug: string, store: StoreName): void {
  const patches = simulator.patchesOf(bug, store)
  if (patches === undefined) throw new Error(`There is no bug '${bug}' to be planted into the ${store} store.`)
  const adapt = `Adapt '${bug}' in ${relative(WORKSPACE, fileURLToPath(new URL('planted-bugs.ts', simulator.module)))}.`
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const here = patches.filter(({ file }) => url === pathToFileURL(join(WORKSPACE, 'packages', file)).href)
      if (here.length === 0) return loaded
      return { ...loaded, source: here.reduce((source, patch) => applied(patch, source, adapt), String(loaded.source)) }
    },
  })
}

/** @throws an error when the text that the patch replaces is not there exactly once */
function applied({ file, find, replace }: Patch, source: string, adapt: string): string {
  const [before, after, ...others] = source.split(find)
  if (before !== undefined && after !== undefined && others.length === 0) return before + replace + after
  throw new Error(`A planted bug does not fit ${file} any more, which must hold exactly once:\n${find}\n${adapt}`)
}
