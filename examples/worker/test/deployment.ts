import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'

const folder = join(import.meta.dirname, '..')
const configuration = JSON.parse(readFileSync(join(folder, 'wrangler.json'), 'utf8'))

/** The values that `wrangler secret put` and `wrangler deploy --var` would set. */
export type Settings = Readonly<Record<string, string>>

/** A message of the queue. */
export interface Message {
  readonly kind: 'content' | 'removed'
  readonly noteId: string
}

/** A Worker that reads the queue, and sends each message to the test. */
const READER = `export default {
  async queue({ messages }, { TEST }) {
    for (const { body } of messages) await TEST.fetch('http://test', { method: 'POST', body: JSON.stringify(body) })
  }
}`

/** The Worker in workerd, configured by `wrangler.json`. */
export interface Deployment extends AsyncDisposable {
  readonly url: URL
  /** The messages of the queue so far. */
  readonly messages: readonly Message[]
  /** Runs the cron trigger. */
  runCron(): Promise<void>
}

/**
 * Deploys the Worker.
 *
 * @param persisted  the folder with its storage, which later deployments can use again
 */
export async function deploy(persisted: string, settings: Settings, port = 0): Promise<Deployment> {
  const messages: Message[] = []
  const [queue] = configuration.queues.producers
  const main = {
    name: configuration.name,
    modules: [{ type: 'ESModule' as const, path: 'worker.js', contents: await bundled(configuration.main) }],
    compatibilityDate: configuration.compatibility_date,
    compatibilityFlags: configuration.compatibility_flags,
    bindings: { ...configuration.vars, ...settings },
    durableObjects: Object.fromEntries(
      configuration.durable_objects.bindings.map((binding: { name: string; class_name: string }) => [
        binding.name,
        {
          className: binding.class_name,
          useSQLite: configuration.migrations[0].new_sqlite_classes.includes(binding.class_name),
        },
      ]),
    ),
    queueProducers: { [queue.binding]: queue.queue },
  }
  const reader = {
    name: 'reader',
    modules: [{ type: 'ESModule' as const, path: 'reader.js', contents: READER }],
    compatibilityDate: configuration.compatibility_date,
    queueConsumers: { [queue.queue]: { maxBatchTimeout: 0 } },
    serviceBindings: {
      async TEST(request: { json(): Promise<unknown> }) {
        messages.push((await request.json()) as Message)
        return new Response()
      },
    },
  }
  const workerd = new Miniflare({
    workers: [main, reader],
    durableObjectsPersist: persisted,
    port,
    unsafeTriggerHandlers: true,
  })
  const url = await workerd.ready
  return {
    url,
    messages,
    async runCron() {
      const { ok } = await fetch(new URL('/cdn-cgi/handler/scheduled', url))
      if (!ok) throw new Error('the cron trigger failed')
    },
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
