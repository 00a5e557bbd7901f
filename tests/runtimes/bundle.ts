import { build } from 'tsup'

/** Compiles files for Node.js 20 and newer, Bun and Deno. What they import from packages stays an import. */
export async function compile(files: readonly string[], folder: string): Promise<void> {
  await build({ ...shared, entry: [...files], outDir: folder, target: 'node20.10', skipNodeModulesBundle: true })
}

/** Bundles one file with all that it imports but what `nodejs_compat` brings, as Workers are deployed. */
export async function bundleForWorkers(file: string, folder: string): Promise<void> {
  await build({
    ...shared,
    entry: [file],
    outDir: folder,
    target: 'es2022',
    platform: 'browser',
    noExternal: [/^(?!node:)/],
    external: [/^node:/],
  })
}

const shared = { config: false, format: 'esm', silent: true, removeNodeProtocol: false } as const
