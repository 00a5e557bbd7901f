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
  const send = senderOf(client)
  return async ({ source, sha1 }, keys, args) => {
    try {
      return String(await send('evalsha', sha1, keys, args))
    } catch (error) {
      // After a flush or a restart, or on another node of a cluster. EVAL then caches the script.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return String(await send('eval', source, keys, args))
    }
  }
}

/** Sends EVALSHA with the hash of a script, or EVAL with its source. */
type Send = (
  command: 'evalsha' | 'eval',
  script: string,
  keys: readonly string[],
  args: readonly string[],
) => Promise<unknown>

// A client is recognised by its methods, so that every version and every kind of client is accepted.
function senderOf(client: IoredisClient | NodeRedisClient): Send {
  if (typeof client === 'object' && client !== null) {
    if ('evalsha' in client)
      return (command, script, keys, args) => client[command](script, keys.length, ...keys, ...args)
    if ('evalSha' in client) {
      return (command, script, keys, args) =>
        client[command === 'evalsha' ? 'evalSha' : 'eval'](script, { keys: [...keys], arguments: [...args] })
    }
  }
  throw new OptionError(
    'client',
    'client is not a client of ioredis or redis. Pass the object returned by `new Redis()`, `new Cluster()`, `createClient()`, ' +
      '`createCluster()` or `createSentinel()`, not a promise.',
  )
}
