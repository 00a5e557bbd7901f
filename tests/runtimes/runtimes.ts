import { join } from 'node:path'
import { run } from '../../scripts/run.ts'

/** A program that runs JavaScript files. */
export interface Runtime {
  readonly name: string
  /** What it says to `--version`. */
  readonly version: RegExp
  readonly program: string
  /** What stands between the program and the file. */
  readonly args: readonly string[]
}

const installed = (path: string) => join(import.meta.dirname, 'node_modules', path)

/** The one that the workspace runs on. */
export const here: Runtime = { name: 'Node.js 24', version: /^v24\./, program: process.execPath, args: [] }

/** The versions of Node.js that the packages promise to run on. */
export const nodes: readonly Runtime[] = [
  { name: 'Node.js 22', version: /^v22\./, program: installed('node22/bin/node'), args: [] },
  here,
  { name: 'Node.js 26', version: /^v26\./, program: installed('node26/bin/node'), args: [] },
]

export const bun: Runtime = { name: 'Bun', version: /^\d+\.\d+\.\d+/, program: installed('.bin/bun'), args: ['run'] }

export const deno: Runtime = {
  name: 'Deno',
  version: /^deno 2\./,
  program: installed('.bin/deno'),
  args: ['run', '--allow-all', '--no-lock', '--node-modules-dir=manual'],
}

/**
 * Runs a file in a runtime.
 *
 * @returns what it printed last, read as JSON
 * @throws an error with all that it printed, when it fails
 */
export async function seenBy(
  { program, args }: Runtime,
  folder: string,
  ...file: readonly string[]
): Promise<Readonly<Record<string, unknown>>> {
  const printed = await run(program, [...args, ...file], folder)
  return JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '')
}
