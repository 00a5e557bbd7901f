import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { describe, expect, it } from 'vitest'
import { createNotesService } from '../service/create-notes-service.ts'

describe('handlers for Mock Service Worker', () => {
  it('answer requests to the base URL, and no others', async () => {
    await using service = await createNotesService({ notes: 2 })
    const elsewhere = http.get('https://elsewhere.test/*', () => HttpResponse.text('elsewhere'))
    const server = setupServer(...service.handlers(http), elsewhere)
    server.listen()
    try {
      const response = await fetch(`${service.baseUrl}/v1/notes?limit=1`, {
        headers: { authorization: `Bearer ${service.apiKey}` },
      })
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({ notes: { length: 1 }, has_more: true })
      expect(response.headers.get('date')).toBe('Thu, 01 Jan 2026 00:00:00 GMT')
      expect(await (await fetch('https://elsewhere.test/v1/notes')).text()).toBe('elsewhere')
    } finally {
      server.close()
    }
  })

  it.each([
    ['https://api.notes.example', 'https://api.notes.example/v1/notes'],
    ['https://api.notes.example/', 'https://api.notes.example/v1/notes'],
    ['http://localhost:8080/notes', 'http://localhost:8080/notes/v1/notes'],
  ])('answer at the base URL %s of the user', async (baseUrl, url) => {
    await using service = await createNotesService({ notes: 2 })
    const server = setupServer(...service.handlers(http, { baseUrl }))
    server.listen()
    try {
      const response = await fetch(url, { headers: { authorization: `Bearer ${service.apiKey}` } })
      expect((await response.json()).notes).toHaveLength(2)
      expect(service.requests[0]?.path).toBe('/v1/notes')
    } finally {
      server.close()
    }
  })

  it.each([
    { baseUrl: 'api.notes.example' },
    { baseUrl: 'https://a.test/?x=1' },
    { baseURL: 'https://a.test' },
    'https://a.test',
  ])('refuse the wrong options %j', async (options) => {
    await using service = await createNotesService()
    expect(() => service.handlers(http, options as never)).toThrow(expect.objectContaining({ code: 'option_invalid' }))
  })

  it('register endpoints like any request', async () => {
    await using service = await createNotesService()
    const server = setupServer(...service.handlers(http))
    server.listen()
    try {
      const response = await fetch(`${service.baseUrl}/v1/webhook-endpoints`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: 'https://receiver.invalid/', events: ['note.ended'] }),
      })
      expect(response.status).toBe(201)
    } finally {
      server.close()
    }
  })

  it('break the connection if a fault rule does', async () => {
    const dropped = { request: 'GET /v1/notes', fault: { kind: 'dropped' } } as const
    await using service = await createNotesService({ faults: [dropped] })
    const server = setupServer(...service.handlers(http))
    server.listen()
    try {
      await expect(fetch(`${service.baseUrl}/v1/notes`)).rejects.toThrow(TypeError)
    } finally {
      server.close()
    }
  })
})
