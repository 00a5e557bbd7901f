import { execFile } from 'node:child_process'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { endServerProcess, notInstalled, startServerProcess } from './server-process.ts'
import { serverUser } from './server-user.ts'

/** A MariaDB server for one test, with the empty database `test`. */
export interface MariaDb {
  readonly url: string
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts `mariadbd` on a free port. */
export async function startMariaDb(): Promise<MariaDb> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-mariadb-'))
  if (serverUser !== undefined) await chown(folder, serverUser.uid, serverUser.gid)
  const data = ['--no-defaults', `--datadir=${join(folder, 'data')}`]
  const install = promisify(execFile)('mariadb-install-db', [...data, '--auth-root-authentication-method=normal'], {
    ...serverUser,
  })
  await install.catch((error) => {
    throw error.code === 'ENOENT' ? notInstalled('mariadb-install-db', error) : error
  })
  const port = await freePort()
  const args = [...data, `--port=${port}`, '--bind-address=127.0.0.1', `--socket=${join(folder, 'socket')}`]
  const server = await startServerProcess('mariadbd', args, port, { ...serverUser })
  return {
    url: `mysql://root@127.0.0.1:${port}/test`,
    async [Symbol.asyncDispose]() {
      await endServerProcess(server, 'SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
