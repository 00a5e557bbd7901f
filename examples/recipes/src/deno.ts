import { endedNotes, receiver } from './receiver.ts'

// Deno declares this itself.
declare const Deno: {
  serve(
    options: { readonly port: number; readonly onListen: (address: { readonly port: number }) => void },
    handler: (request: Request) => Promise<Response>,
  ): unknown
}

Deno.serve(
  {
    port: Number(process.env['PORT'] ?? 3000),
    onListen: ({ port }) => console.log(`listening at http://127.0.0.1:${port}/`),
  },
  async (request) => {
    switch (new URL(request.url).pathname) {
      case '/webhooks/notes':
        return await receiver.fetch(request)
      case '/echo':
        return Response.json(await request.json())
      case '/notes':
        return Response.json(endedNotes)
      default:
        return new Response(null, { status: 404 })
    }
  },
)
