import { endedNotes, receiver } from './receiver.ts'

// In a project for Bun, `@types/bun` declares this.
declare const Bun: {
  serve(options: {
    readonly port: number
    readonly routes: Readonly<Record<string, Readonly<Record<string, (request: Request) => Promise<Response>>>>>
  }): { readonly url: URL }
}

const server = Bun.serve({
  port: Number(process.env['PORT'] ?? 3000),
  routes: {
    '/webhooks/notes': { POST: receiver.fetch },
    '/echo': { POST: async (request) => Response.json(await request.json()) },
    '/notes': { GET: async () => Response.json(endedNotes) },
  },
})
console.log(`listening at ${server.url}`)
