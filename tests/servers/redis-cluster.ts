import { type ChildProcess, execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { endServerProcess, SERVER_TIMEOUT_MS, startServerProcess } from './server-process.ts'

const redisCli = promisify(execFile)

/** A Redis Cluster for one test: three masters, which share the slots, and no replica. */
export interface RedisCluster {
  readonly ports: readonly number[]
  stop(): Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts three Redis servers on free ports and creates a cluster of them. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-redis-cluster-'))
  const ports = [await freePort(), await freePort(), await freePort()]
  const servers: ChildProcess[] = []
  for (const port of ports) servers.push(await startNode(folder, port))

  async function stop(): Promise<void> {
    for (const server of servers) await endServerProcess(server, 'SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
  const nodes = ports.map((port) => `127.0.0.1:${port}`)
  await redisCli('redis-cli', ['--cluster', 'create', ...nodes, '--cluster-replicas', '0', '--cluster-yes'])
  await Promise.all(ports.map(knowsAllSlots))
  return { ports, stop, [Symbol.asyncDispose]: stop }
}

async function startNode(folder: string, port: number): Promise<ChildProcess> {
  const bus = await freePort()
  const clustered = [
    '--cluster-enabled',
    'yes',
    '--cluster-config-file',
    `nodes-${port}.conf`,
    '--cluster-port',
    `${bus}`,
  ]
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no']
  return await startServerProcess('redis-server', [...args, ...clustered], port)
}

async function knowsAllSlots(port: number): Promise<void> {
  const giveUpAt = Date.now() + SERVER_TIMEOUT_MS
  for (;;) {
    const { stdout } = await redisCli('redis-cli', ['-p', `${port}`, 'cluster', 'info'])
    if (stdout.includes('cluster_state:ok')) return
    if (Date.now() > giveUpAt) throw new Error(`the cluster is not ready after ${SERVER_TIMEOUT_MS} ms`)
    await sleep(20)
  }
}
