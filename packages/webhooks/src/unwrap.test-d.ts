import type { NoteDeletedEvent, WebhookEvent } from '@notewire/protocol'
import { describe, expectTypeOf, it } from 'vitest'
import { unwrap } from './index.ts'

declare const request: Request

describe('unwrap', () => {
  it('returns an event that narrows by its kind', async () => {
    const event = await unwrap(await request.text(), request.headers, process.env['NOTES_SIGNING_SECRET'])
    expectTypeOf(event).toEqualTypeOf<WebhookEvent>()
    if (event.event_type === 'note.deleted') expectTypeOf(event).toEqualTypeOf<NoteDeletedEvent>()
    switch (event.event_type) {
      case 'note.ended':
      case 'note.summary.generated':
        expectTypeOf(event.data.note_id).toEqualTypeOf<string>()
        break
      case 'endpoint.test':
        expectTypeOf(event.data.endpoint_id).toEqualTypeOf<string | null | undefined>()
        break
      default:
        expectTypeOf(event.event_type).toExtend<string>()
    }
  })

  it('takes raw bodies and all headers, and nothing else', () => {
    void unwrap(Buffer.from('{}'), { 'webhook-id': ['msg_1'] }, ['whsec_a', 'whsec_b'])
    // @ts-expect-error a parsed body
    void unwrap({ event_id: 'evt_1' }, request.headers, 'whsec_a')
    // @ts-expect-error the value of one header
    void unwrap('{}', 'v1,signature', 'whsec_a')
    // @ts-expect-error the secret is forgotten
    void unwrap('{}', request.headers)
  })
})
