import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Vitest calls this before a run, and the returned function after it. Tests and the processes that they start inherit the variables. */
export async function setup(): Promise<() => Promise<void>> {
  // The script by which pnpm starts Vitest adds all packages of the workspace. A project outside would find what it has not installed.
  delete process.env['NODE_PATH']

  const folder = await mkdtemp(join(tmpdir(), 'notewire-tests-'))
  // As the folder around it: PostgreSQL, PgBouncer and MariaDB run as another user.
  await chmod(folder, 0o1777)
  process.env['TMPDIR'] = folder
  process.env['TEST_FOLDER'] = folder
  // A run starts a thousand processes that load the same files. Without it, each compiles them again, which is half of the time of a short command.
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled')
  // What the tests and their processes leave is removed with the folder.
  return async () => await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}
