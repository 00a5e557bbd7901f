import { join, relative } from 'node:path'
import { build } from 'esbuild'

/**
 * Bundles a program of this folder, because running TypeScript directly takes additional memory.
 *
 * @returns the path for `startProgram`
 */
export async function bundleProgram(file: string, folder: string): Promise<string> {
  const outfile = join(folder, file.replace('.ts', '.mjs'))
  await build({
    entryPoints: [join(import.meta.dirname, file)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@notewire/source'],
    external: ['pg-native', 'cloudflare:sockets'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  return relative(import.meta.dirname, outfile)
}
