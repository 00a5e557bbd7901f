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
      return replyOf(await send('evalsha', sha1, keys, args))
    } catch (error) {
      // After a flush or a restart, or on another node of a cluster. EVAL then caches the script.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw explained(error)
      return replyOf(await send('eval', source, keys, args))
    }
  }
}

/** Each script returns a text. Clients with callbacks return something else at once. */
function replyOf(reply: unknown): string {
  if (typeof reply === 'string' || reply instanceof Uint8Array) return String(reply)
  throw otherClient()
}

/** Explains the error of a client that is none of these drivers, or that is not connected. Another error is returned unchanged. */
function explained(error: unknown): unknown {
  // A client with other parameters fails while it reads them.
  if (error instanceof TypeError) return otherClient(error)
  if (!(error instanceof Error) || error.constructor.name !== 'ClientClosedError') return error
  return new OptionError(
    'client',
    'client is not connected. Call "await client.connect()" before the receiver gets its first delivery, and close the client after the receiver.',
  )
}

function otherClient(cause?: unknown): OptionError {
  const error = new OptionError('client', OTHER_CLIENT)
  if (cause !== undefined) error.cause = cause
  return error
}

const OTHER_CLIENT =
  'client does not run scripts as a client of ioredis or redis (4 or later) does. Pass the object returned by `new Redis()` of ioredis or by ' +
  '`createClient()` of redis. A client over HTTP, such as that of @upstash/redis, has other parameters: connect to the same database with ioredis.'

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
    // `@upstash/redis` has commands of the same names with other parameters.
    if ('createScript' in client) throw otherClient()
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
