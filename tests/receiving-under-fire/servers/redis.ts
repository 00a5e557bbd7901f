import { startRedis } from '../../servers/index.ts'
import type { StoreServer } from './store-server.ts'

/** Starts a Redis server that keeps every acknowledged write after a crash. */
export async function makeRedis(): Promise<StoreServer> {
  const { port, crashAndRestart, stop } = await startRedis({ durable: true })
  return { engine: 'redis', location: String(port), crashAndRestart, stop }
}
