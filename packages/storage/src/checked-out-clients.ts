import { OptionError } from '@notewire/protocol'

/** The methods of a pool of `pg` that tell of its clients. */
export interface PoolOfClients {
  /** Adds a listener. */
  on(event: 'acquire', listener: (client: ClientOfPool) => void): unknown
}

/** The method of a client of `pg` that tells of its errors. */
export interface ClientOfPool {
  /** Adds a listener. */
  on(event: 'error', listener: () => void): unknown
}

/** Lists the pools and clients that have a listener. */
const known = new WeakSet<object>()

/**
 * Keeps the process alive if a connection breaks while it is taken out of the pool, as query builders do for a transaction. `pg`
 * then emits an error at the client, and an error without a listener ends the process. The statements of the client reject as well.
 *
 * @throws OptionError if `pool` is not a pool
 */
export function listenToClients(pool: PoolOfClients): void {
  if (typeof pool?.on !== 'function') throw new OptionError('pool', 'pool needs the Pool of pg that your library uses.')
  if (known.has(pool)) return
  known.add(pool)
  pool.on('acquire', listenToClient)
}

/**
 * The same for one client.
 *
 * @throws OptionError if `client` is not a client
 */
export function listenToClient(client: ClientOfPool): void {
  if (typeof client?.on !== 'function') throw new OptionError('client', 'client needs a client of pg.')
  if (known.has(client)) return
  known.add(client)
  client.on('error', () => undefined)
}
