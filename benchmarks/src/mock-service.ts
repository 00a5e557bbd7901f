import { createNotesService } from '@notewire/mock-server'

// Started as a process of its own: a service of so many notes. Says `{ baseUrl, apiKey }` when it listens.
process.on('disconnect', () => process.exit())
const service = await createNotesService({ notes: Number(process.argv[2]) })
await service.listen()
process.send?.({ baseUrl: service.baseUrl, apiKey: service.apiKey })
