import type { Options } from 'tsup'

/** How every package is built: ESM, declarations, no Node.js polyfill, dependencies left outside. */
export function buildOf(entry: Record<string, string>): Options {
  return {
    entry,
    format: 'esm',
    target: 'es2023',
    platform: 'neutral',
    dts: true,
    sourcemap: true,
    clean: true,
    silent: true,
    splitting: true,
    treeshake: true,
    external: [/^node:/],
    // Otherwise `node:sqlite` becomes `sqlite`, which no runtime knows.
    removeNodeProtocol: false,
  }
}
