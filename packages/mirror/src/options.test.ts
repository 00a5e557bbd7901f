import { NotesClient } from '@notewire/client'
import { describe, expect, it } from 'vitest'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { createMirror, type MirrorOptions } from './index.ts'

const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })

describe('an invalid option', () => {
  it.each<[string, object]>([
    ['client', { client: undefined }],
    ['client', { client: {} }],
    ['client', { client: { notes: client.notes } }],
    ['store', { store: undefined }],
    ['store', { store: 'notes.db' }],
    ['integration', { integration: '' }],
    ['integration', { integration: 'a team' }],
    ['keep', { keep: ['title'] }],
    ['keep', { keep: 'note' }],
    ['concurrency', { concurrency: 0 }],
    ['concurrency', { concurrency: 1.5 }],
    ['pollEveryMs', { pollEveryMs: Number.NaN }],
    ['fullListingEveryMs', { fullListingEveryMs: -1 }],
    ['interval', { interval: 5 }],
    ['onError', { hooks: { onError: () => undefined } }],
  ])('is rejected immediately, naming %s, for %o', (option, wrong) => {
    const options = { client, store: memoryMirror(), ...wrong } as MirrorOptions
    expect(() => createMirror(options)).toThrow(expect.objectContaining({ code: 'option_invalid', option }))
  })
})

it.each([
  ['interval', '"pollEveryMs", in milliseconds'],
  ['fullListingEvery', '"fullListingEveryMs", in milliseconds'],
  ['db', '"store"'],
])('the error for an option called %s names %s', (option, meant) => {
  const options = { client, store: memoryMirror(), [option]: 5 } as MirrorOptions
  expect(() => createMirror(options)).toThrow(`createMirror has no option "${option}". Did you mean ${meant}?`)
})

it.each([true, 'NOW', null])(
  'sync rejects the value %s of fullListing, instead of listing no notes',
  async (fullListing) => {
    const mirror = createMirror({ client, store: memoryMirror() })
    await expect(mirror.sync({ fullListing } as never)).rejects.toMatchObject({
      code: 'option_invalid',
      option: 'fullListing',
    })
  },
)

it('an inspected mirror does not show the key', () => {
  const mirror = createMirror({ client, store: memoryMirror() })
  expect(JSON.stringify(mirror)).not.toContain('s3cret')
})
