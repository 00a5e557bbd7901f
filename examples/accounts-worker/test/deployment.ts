import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'

const folder = join(import.meta.dirname, '..')
const configuration = JSON.parse(readFileSync(join(folder, 'wrangler.json'), 'utf8'))

/** The Worker in workerd, configured by `wrangler.json`. */
export interface Deployment extends AsyncDisposable {
  readonly url: URL
  /** The rows of a query to the registry. */
  registry(sql: string): Promise<readonly Readonly<Record<string, string>>[]>
  /** Everything that the Worker has printed. */
  printed(): string
}

/**
 * Deploys the Worker, with an empty registry.
 *
 * @param persisted  the folder with the storage of its objects
 */
export async function deploy(
  persisted: string,
  vars: Readonly<Record<string, string>>,
  main: string = configuration.main,
): Promise<Deployment> {
  let printed = ''
  const workerd = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.js', contents: await bundled(main) }],
    compatibilityDate: configuration.compatibility_date,
    compatibilityFlags: configuration.compatibility_flags,
    bindings: { ...configuration.vars, ...vars },
    durableObjects: Object.fromEntries(
      configuration.durable_objects.bindings.map((binding: { name: string; class_name: string }) => [
        binding.name,
        {
          className: binding.class_name,
          useSQLite: configuration.migrations[0].new_sqlite_classes.includes(binding.class_name),
        },
      ]),
    ),
    durableObjectsPersist: persisted,
    d1Databases: configuration.d1_databases.map(({ binding }: { binding: string }) => binding),
    handleRuntimeStdio(...streams: Readable[]) {
      for (const stream of streams) stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
    },
  })
  const url = await workerd.ready
  const registry = await workerd.getD1Database('REGISTRY')
  const migrations = join(folder, configuration.d1_databases[0].migrations_dir)
  for (const file of readdirSync(migrations).sort()) {
    await registry.prepare(readFileSync(join(migrations, file), 'utf8').replaceAll(/--.*/g, '').trim()).run()
  }
  return {
    url,
    registry: async (sql) => (await registry.prepare(sql).all<Record<string, string>>()).results,
    printed: () => printed,
    [Symbol.asyncDispose]: () => workerd.dispose(),
  }
}

async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, entry)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2023',
    // The conditions of Wrangler, and those of this process.
    conditions: [
      'workerd',
      'worker',
      'browser',
      ...process.execArgv.flatMap((option) => /^--conditions=(.*)/.exec(option)?.[1] ?? []),
    ],
    external: ['node:*', 'cloudflare:*'],
  })
  return outputFiles[0]?.text ?? ''
}
