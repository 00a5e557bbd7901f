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

/** Sends EVALSHA with the hash of a script, or EVAL with its source. */
type SendScript = (script: string, keys: readonly string[], args: readonly string[]) => Promise<unknown>

/** @throws OptionError if the client is from neither driver */
export function scriptRunner(client: IoredisClient | NodeRedisClient): RunScript {
  const { evalsha, evaluate } = commandsOf(client)
  return async ({ source, sha1 }, keys, args) => {
    try {
      return String(await evalsha(sha1, keys, args))
    } catch (error) {
      // After a flush or a restart, or on another node of a cluster. EVAL then caches the script.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return String(await evaluate(source, keys, args))
    }
  }
}

function commandsOf(client: IoredisClient | NodeRedisClient): { evalsha: SendScript; evaluate: SendScript } {
  if (isIoredis(client)) {
    return {
      evalsha: (sha1, keys, args) => client.evalsha(sha1, keys.length, ...keys, ...args),
      evaluate: (source, keys, args) => client.eval(source, keys.length, ...keys, ...args),
    }
  }
  if (isNodeRedis(client)) {
    return {
      evalsha: (sha1, keys, args) => client.evalSha(sha1, { keys: [...keys], arguments: [...args] }),
      evaluate: (source, keys, args) => client.eval(source, { keys: [...keys], arguments: [...args] }),
    }
  }
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
