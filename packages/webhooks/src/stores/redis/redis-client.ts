import { OptionError } from '@notewire/protocol'
import type { Script } from './scripts.ts'

/** The methods that the store calls on a `Redis` or `Cluster` of `ioredis`. */
export interface IoredisClient {
  /** Runs a script that Redis has cached, by its hash. */
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
  /** Runs a script, which Redis then caches. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** The methods that the store calls on a client, client pool, cluster or sentinel of `redis` (node-redis). */
export interface NodeRedisClient {
  /** Runs a script that Redis has cached, by its hash. */
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  /** Runs a script, which Redis then caches. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** Runs a script in one round trip, or in two if Redis has not cached it. */
export type RunScript = (script: Script, keys: readonly string[], args: readonly string[]) => Promise<string>

/** @throws OptionError if the client is from neither driver */
export function scriptRunner(client: IoredisClient | NodeRedisClient): RunScript {
  if (isIoredis(client)) return ioredisRunner(client)
  if (isNodeRedis(client)) return nodeRedisRunner(client)
  throw new OptionError(
    'client',
    'client is not a client of ioredis or redis. Pass the object returned by `new Redis()`, `new Cluster()`, `createClient()`, ' +
      '`createCluster()` or `createSentinel()`, not a promise.',
  )
}

// Detected by its methods, so that every version and every kind of client is accepted.
function isIoredis(client: unknown): client is IoredisClient {
  return typeof (client as Partial<IoredisClient> | null | undefined)?.evalsha === 'function'
}

function isNodeRedis(client: unknown): client is NodeRedisClient {
  return typeof (client as Partial<NodeRedisClient> | null | undefined)?.evalSha === 'function'
}

function ioredisRunner(client: IoredisClient): RunScript {
  return async ({ source, sha1 }, keys, args) => {
    try {
      return String(await client.evalsha(sha1, keys.length, ...keys, ...args))
    } catch (error) {
      if (!isNotCached(error)) throw error
      return String(await client.eval(source, keys.length, ...keys, ...args))
    }
  }
}

function nodeRedisRunner(client: NodeRedisClient): RunScript {
  return async ({ source, sha1 }, keys, args) => {
    const options = { keys: [...keys], arguments: [...args] }
    try {
      return String(await client.evalSha(sha1, options))
    } catch (error) {
      if (!isNotCached(error)) throw error
      return String(await client.eval(source, options))
    }
  }
}

// Happens after a flush or a restart, and on a node of a cluster that has not run the script. EVAL then caches it.
function isNotCached(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
