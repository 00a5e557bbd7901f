import { startRedis } from '../../servers/index.ts'
import type { StoreServer } from './store-server.ts'

/** Starts Redis so that what it has answered survives it. */
export async function makeRedis(): Promise<StoreServer> {
  const { port, crashAndRestart, stop } = await startRedis({ durable: true })
  return { engine: 'redis', place: String(port), crashAndRestart, stop }
}
