import { createServer } from 'node:http'
import { nodeHandler } from '@notewire/webhooks/node'
import { engine, receiver, redis } from './receiver.ts'

const server = createServer(nodeHandler(receiver)).listen(Number(process.env['PORT'] ?? 3000))

process.once('SIGTERM', async () => {
  server.close()
  await receiver.close()
  await engine.close()
  redis.disconnect()
})
