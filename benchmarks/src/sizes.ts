import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { Table } from './report.ts'

/** The maximum size of each entry in a bundle, in kB of 1,000 bytes: minified and gzipped, with dependencies. */
export const SIZE_BUDGETS: Readonly<Record<string, { readonly code: string; readonly kilobytes: number }>> = {
  '@notewire/webhooks/verify': { code: `export { createVerifier } from '@notewire/webhooks/verify'`, kilobytes: 2.8 },
  '@notewire/webhooks': { code: `export { createReceiver } from '@notewire/webhooks'`, kilobytes: 32.5 },
  '@notewire/client': { code: `export { NotesClient } from '@notewire/client'`, kilobytes: 34.1 },
}

const PEERS: Readonly<Record<string, string>> = {
  standardwebhooks: `export { Webhook } from 'standardwebhooks'`,
  svix: `export { Webhook } from 'svix'`,
  '@octokit/webhooks-methods': `export { verify } from '@octokit/webhooks-methods'`,
  stripe: `export { default } from 'stripe'`,
  ky: `export { default } from 'ky'`,
}

const CLIENTS = ['@notewire/client', 'stripe', 'ky']

export async function measureSizes(): Promise<readonly Table[]> {
  const columnOf = (name: string) => (CLIENTS.includes(name) ? 'to call a service' : 'to receive webhooks')
  const ours = Object.entries(SIZE_BUDGETS).map(async ([name, { code, kilobytes }]) => {
    const value = await bundledKilobytes(code)
    return { name, column: columnOf(name), value, budget: kilobytes }
  })
  const peers = Object.entries(PEERS).map(async ([name, code]) => {
    const value = await bundledKilobytes(code)
    return { name, column: columnOf(name), value, isAlternative: true }
  })
  return [
    {
      title: 'How much does an import add to a bundle?',
      unit: 'kB',
      note: 'With dependencies, minified by esbuild and gzipped. standardwebhooks, svix and @octokit/webhooks-methods only verify signatures.',
      rows: await Promise.all([...ours, ...peers]),
    },
  ]
}

/** The size of the bundle of a module, in kB. */
export async function bundledKilobytes(code: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'silent',
  })
  return gzipSync(outputFiles[0]?.contents ?? Buffer.alloc(0), { level: 9 }).length / 1000
}
