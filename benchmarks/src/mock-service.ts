import { createNotesService } from '@notewire/mock-server'

// Runs as a separate process: a service with the given number of notes. Sends `{ baseUrl, apiKey }` when it listens.
process.on('disconnect', () => process.exit())
const service = await createNotesService({ notes: Number(process.argv[2]) })
await service.listen()
process.send?.({ baseUrl: service.baseUrl, apiKey: service.apiKey })
