import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { WORKSPACE } from '../../scripts/run.ts'
import type { StoreName } from './history.ts'
import { applyPatch, type Patch } from './patch.ts'
import type { Simulator } from './simulator.ts'

/**
 * Has everything that this thread imports from now on contain the bug.
 *
 * @throws an error when there is no such bug, or when an imported file does not contain the text that a patch replaces
 */
export function plant(simulator: Simulator, bug: string, store: StoreName): void {
  const patches = simulator.patchesOf(bug, store)
  if (patches === undefined) throw new Error(`There is no bug '${bug}' to be planted into the ${store} store.`)
  plantPatches(patches)
}

/** Has everything that this thread imports from now on contain the patches. */
export function plantPatches(patches: readonly Patch[]): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const here = patches.filter(({ file }) => url === pathToFileURL(join(WORKSPACE, 'packages', file)).href)
      if (here.length === 0) return loaded
      return { ...loaded, source: here.reduce((source, patch) => applyPatch(patch, source), String(loaded.source)) }
    },
  })
}

/**
 * Applies the patches of each planted bug to the files on disk, without importing them.
 *
 * @returns what does not fit: one message for each such bug
 */
export function misfitsOf({
  plantedCases,
  patchesOf,
}: Pick<Simulator, 'plantedCases' | 'patchesOf'>): readonly string[] {
  return plantedCases.flatMap(({ name, store }) => {
    const sources = new Map<string, string>()
    try {
      for (const patch of patchesOf(name, store) ?? []) {
        const source = sources.get(patch.file) ?? readFileSync(join(WORKSPACE, 'packages', patch.file), 'utf8')
        sources.set(patch.file, applyPatch(patch, source))
      }
      return []
    } catch (error) {
      return [`${name}: ${error}`]
    }
  })
}
