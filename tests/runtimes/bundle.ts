import { build } from 'tsup'

/** Compiles files for Node.js 22 and newer, Bun and Deno. What they import from packages stays an import. */
export async function compile(files: Readonly<Record<string, string>>, folder: string): Promise<void> {
  await build({ ...shared, entry: { ...files }, outDir: folder, target: 'node22.12', skipNodeModulesBundle: true })
}

/** Bundles one file with all that it imports but what `nodejs_compat` brings, as Workers are deployed. */
export async function bundleForWorkers(file: string, folder: string): Promise<void> {
  await build({
    ...shared,
    entry: [file],
    outDir: folder,
    target: 'es2022',
    platform: 'browser',
    // A Worker gets one file, and the client imports ky at its first call.
    splitting: false,
    noExternal: [/^(?!node:)/],
    external: [/^node:/],
  })
}

const shared = { config: false, format: 'esm', silent: true, removeNodeProtocol: false } as const
