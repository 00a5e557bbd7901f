import { mkdir, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { environmentOutside, run, WORKSPACE } from '../../scripts/run.ts'
import { type Program, start } from '../newcomer/program.ts'

/** A shell in a folder, with the tools that a page asks for and nothing else of the workspace. */
export interface Terminal {
  readonly folder: string
  /** @returns what the commands printed on standard output */
  run(commands: string): Promise<string>
  start(command: string): Program
  at(folder: string): Terminal
}

/**
 * Opens a terminal whose npm, Bun and Deno install from `registry`.
 *
 * @param folder  an empty folder
 */
export async function openTerminal(folder: string, registry: string): Promise<Terminal> {
  const tools = join(folder, '.tools')
  await mkdir(tools)
  const runtimes = join(WORKSPACE, 'tests/runtimes/node_modules')
  await symlink(join(runtimes, 'bun/bin/bun.exe'), join(tools, 'bun'))
  await symlink(join(runtimes, 'bun/bin/bunx.exe'), join(tools, 'bunx'))
  await symlink(join(runtimes, 'deno/deno'), join(tools, 'deno'))
  return terminalAt(folder, {
    PATH: [tools, environmentOutside()['PATH']].join(delimiter),
    NPM_CONFIG_REGISTRY: registry,
    NPM_CONFIG_PREFER_OFFLINE: 'true',
    // Bun and Deno cache packages by name and version. A shared cache would hold an older build of the same version.
    BUN_INSTALL_CACHE_DIR: join(folder, '.bun-cache'),
    DENO_DIR: join(folder, '.deno-cache'),
    DENO_NO_UPDATE_CHECK: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    WRANGLER_SEND_METRICS: 'false',
  })
}

function terminalAt(folder: string, environment: Readonly<Record<string, string>>): Terminal {
  // Vitest sets NODE_ENV, which Next and Bun read.
  const shell = (commands: string) => ['-ec', `unset NODE_ENV\n${commands}`]
  return {
    folder,
    run: (commands) => run('sh', shell(commands), folder, environment),
    start: (command) => start('sh', shell(command), folder, environment),
    at: (other) => terminalAt(other, environment),
  }
}
