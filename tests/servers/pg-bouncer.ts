import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { endServerProcess, startServerProcess } from './server-process.ts'
import { serverUser } from './server-user.ts'

/** A PgBouncer server in transaction mode. */
export interface PgBouncer {
  readonly url: string
  stop(): Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts `pgbouncer` in transaction mode with few connections to `databaseUrl`. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const { hostname, port, pathname, username, password } = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'notewire-pgbouncer-'))
  const ownPort = await freePort()
  const settings = [
    '[databases]',
    `app = host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${ownPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 4',
    'max_client_conn = 200',
  ]
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, settings.join('\n'))
  if (serverUser !== undefined) for (const path of [folder, file]) await chown(path, serverUser.uid, serverUser.gid)
  const server = await startServerProcess('pgbouncer', [file], ownPort, { ...serverUser, cwd: folder })

  async function stop(): Promise<void> {
    await endServerProcess(server, 'SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
  return { url: `postgres://app@127.0.0.1:${ownPort}/app`, stop, [Symbol.asyncDispose]: stop }
}
