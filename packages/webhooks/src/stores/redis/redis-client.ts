import { OptionError } from '@notewire/protocol'
import type { Script } from './scripts.ts'

/** What the store uses of a `Redis` or `Cluster` of `ioredis`. */
export interface IoredisClient {
  /** Runs a script that Redis knows. */
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
  /** Runs a script that Redis gets to know by it. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** What the store uses of a client, client pool, cluster or sentinel of `redis` (node-redis). */
export interface NodeRedisClient {
  /** Runs a script that Redis knows. */
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  /** Runs a script that Redis gets to know by it. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** Runs a script in one round trip, or in two where Redis does not know it yet. */
export type RunScript = (script: Script, keys: readonly string[], args: readonly string[]) => Promise<string>

/** @throws OptionError for what is a client of neither driver */
export function scriptRunner(client: IoredisClient | NodeRedisClient): RunScript {
  if (isIoredis(client)) return ioredisRunner(client)
  if (isNodeRedis(client)) return nodeRedisRunner(client)
  throw new OptionError(
    'client',
    'client is not a client of ioredis or redis. Pass the object returned by `new Redis()`, `new Cluster()`, `createClient()`, ' +
      '`createCluster()` or `createSentinel()`, not a promise.',
  )
}

// By what they can do, so that every version and every kind of client counts that can.
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
      if (!isUnknownScript(error)) throw error
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
      if (!isUnknownScript(error)) throw error
      return String(await client.eval(source, options))
    }
  }
}

// After a flush, a restart, or on another node of a cluster: Redis then has run nothing, and learns the script by EVAL.
function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
