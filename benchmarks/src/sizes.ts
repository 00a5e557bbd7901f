import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { Table } from './report.ts'

/** The maximum size of each entry in a bundle, in kB of 1,000 bytes: minified and gzipped, with dependencies. */
export const SIZE_BUDGETS: Readonly<Record<string, { readonly code: string; readonly kilobytes: number }>> = {
  '@notewire/webhooks/verify': { code: `export { createVerifier } from '@notewire/webhooks/verify'`, kilobytes: 2.5 },
  '@notewire/webhooks': { code: `export { createReceiver } from '@notewire/webhooks'`, kilobytes: 24.2 },
  '@notewire/client': { code: `export { NotesClient } from '@notewire/client'`, kilobytes: 26.7 },
}

const PEERS: Readonly<Record<string, string>> = {
  standardwebhooks: `export { Webhook } from 'standardwebhooks'`,
  svix: `export { Webhook } from 'svix'`,
  stripe: `export { default } from 'stripe'`,
  '@octokit/webhooks-methods': `export { verify } from '@octokit/webhooks-methods'`,
}

export async function measureSizes(): Promise<readonly Table[]> {
  const ours = await Promise.all(
    Object.entries(SIZE_BUDGETS).map(async ([name, { code, kilobytes }]) => ({
      name: `notewire: ${name}`,
      value: await bundledKilobytes(code),
      budget: kilobytes,
    })),
  )
  const peers = await Promise.all(
    Object.entries(PEERS).map(async ([name, code]) => ({ name, value: await bundledKilobytes(code) })),
  )
  const receiver = ours[1]?.value ?? Number.NaN
  return [
    {
      title: 'Size in a bundle, dependencies included',
      unit: 'kB',
      note: 'Minified by esbuild and gzipped. Ratios to @notewire/webhooks.',
      rows: [...ours, ...peers].map((row) => ({ ...row, ratio: row.value / receiver })),
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
