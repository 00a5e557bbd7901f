import { afterEach, describe, expect, it, vi } from 'vitest'
import { createNotesService } from '../service/create-notes-service.ts'

afterEach(() => void vi.unstubAllGlobals())

class Foreign {
  readonly status = 201
  readonly headers = new Map([['x-check', 'a']])
  readonly body = Symbol('a stream of another runtime')
}

describe('listen, in an environment that replaces what it needs', () => {
  it.each([
    ['Headers', undefined],
    ['Response', undefined],
    ['Response', Foreign],
    ['ReadableStream', undefined],
    ['URLSearchParams', undefined],
  ])('says so if %s is %s', async (name, value) => {
    await using service = await createNotesService()
    vi.stubGlobal(name, value)
    const listening = service.listen().catch((error: unknown) => error)
    const error = await listening
    vi.unstubAllGlobals()
    expect(error).toMatchObject({ code: 'listen_failed', problem: expect.stringContaining(`global ${name} `) })
    expect(error).toMatchObject({ remedy: expect.stringContaining('@vitest-environment node') })
    expect((await service.listen()).url).toMatch(/^http:/)
  })

  it.each(['URL', 'Request', 'fetch', 'AbortController', 'Event', 'EventTarget', 'Blob', 'FormData'])(
    'does not need %s',
    async (name) => {
      await using service = await createNotesService()
      const { fetch } = globalThis
      vi.stubGlobal(name, undefined)
      const { url } = await service.listen()
      vi.unstubAllGlobals()
      expect((await fetch(`${url}/v1/notes`)).status).toBe(401)
    },
  )
})
