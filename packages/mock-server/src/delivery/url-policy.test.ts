import { describe, expect, it } from 'vitest'
import { call, refusal } from '../../fixtures/call.ts'
import { anInbox } from '../../fixtures/inbox.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import { urlRefusalOf } from './url-policy.ts'

describe('the URL policy public-https', () => {
  it.each([
    'https://public.example/hooks',
    'https://public.example:8443/hooks',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
    'https://not-yet-registered.example/',
  ])('accepts %s', (url) => {
    expect(urlRefusalOf('public-https', new URL(url))).toBeUndefined()
  })

  it.each([
    'http://public.example/',
    'ftp://public.example/',
    'https://10.0.0.1/',
    'https://169.254.169.254/',
    'https://[::1]/',
    'https://[fd00::1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://api.localhost/',
    'https://api.internal/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://[::ffff:127.0.0.1]/',
    'https://intranet./',
    'https://PRINTER.local/',
  ])('rejects %s (§2)', (url) => {
    expect(urlRefusalOf('public-https', new URL(url))?.problem).toContain('public https URL')
  })

  it.each(['https://localhost/', 'https://127.0.0.1:8443/', 'http://receiver.test/'])(
    'makes the API answer 422 to %s, at creation and at a change (§8)',
    async (url) => {
      await using service = await createNotesService({ urlPolicy: 'public-https' })
      const body = { url, events: ['note.ended'] }
      expect(await refusal(call(service, 'POST /v1/webhook-endpoints', { body }))).toEqual([422, 'invalid_body'])
      const { endpoint_id } = await service.connect(anInbox().open)
      const change = call(service, `PATCH /v1/webhook-endpoints/${endpoint_id}`, { body: { url } })
      expect(await refusal(change)).toEqual([422, 'invalid_body'])
    },
  )

  it('accepts receivers in this process', async () => {
    await using service = await createNotesService({ urlPolicy: 'public-https' })
    expect((await service.connect(anInbox().open)).status).toBe('active')
  })
})

describe('the URL policy local', () => {
  it('is the default, and accepts http and private addresses', async () => {
    await using service = await createNotesService()
    const body = { url: 'http://127.0.0.1:9/', events: ['note.ended'] }
    expect((await call(service, 'POST /v1/webhook-endpoints', { body })).status).toBe(201)
    const refused = call(service, 'POST /v1/webhook-endpoints', { body: { ...body, url: 'ftp://127.0.0.1/' } })
    expect(await refusal(refused)).toEqual([422, 'invalid_body'])
  })
})
