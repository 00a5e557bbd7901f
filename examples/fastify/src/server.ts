import { app } from './app.ts'

console.log('listening on', await app.listen({ port: Number(process.env['PORT'] ?? 3000) }))

process.once('SIGTERM', () => void app.close())
