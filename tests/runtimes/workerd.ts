import { readFile } from 'node:fs/promises'
import { Miniflare } from 'miniflare'

// workerd refuses dates that it does not know yet: the installed one ends at 2026-05-03.
const COMPATIBILITY_DATE = '2026-05-01'

/** workerd with one Worker in it. */
export interface Workerd extends AsyncDisposable {
  /** Where the Worker listens. */
  readonly url: URL
}

/**
 * Starts workerd.
 *
 * @param bundle  the file of a module whose default export is the Worker
 */
export async function startWorkerd(
  bundle: string,
  {
    compatibilityFlags = [],
    bindings = {},
    d1Databases = [],
    durableObjects = {},
  }: {
    compatibilityFlags?: readonly string[]
    bindings?: Readonly<Record<string, string>>
    d1Databases?: readonly string[]
    durableObjects?: Readonly<Record<string, { className: string; useSQLite: true }>>
  } = {},
): Promise<Workerd> {
  const workerd = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.js', contents: await readFile(bundle, 'utf8') }],
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: [...compatibilityFlags],
    bindings,
    d1Databases: [...d1Databases],
    durableObjects,
  })
  return { url: await workerd.ready, [Symbol.asyncDispose]: () => workerd.dispose() }
}
