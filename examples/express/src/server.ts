import { app } from './app.ts'
import { receiver } from './receiver.ts'

const server = app.listen(Number(process.env['PORT'] ?? 3000))

process.once('SIGTERM', async () => {
  server.close()
  await receiver.close()
})
