import { expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import { createNotesService } from '../service/create-notes-service.ts'

it('a fault rule is replaced, and its calls are counted from 1 again', async () => {
  await using service = await createNotesService({ clock: 'virtual' })
  await service.listen()
  const status = async () => (await call(service, 'GET /v1/notes')).status
  const send = (method: string, path: string, body?: object) =>
    fetch(`${service.baseUrl}/control/faults${path}`, {
      method,
      headers: { origin: service.baseUrl },
      ...(body && { body: JSON.stringify(body) }),
    })
  const kept = service.faults.inject({ request: 'GET /v1/notes', calls: 1, fault: { kind: 'status', status: 503 } })
  service.faults.inject({ request: 'POST /v1/webhook-endpoints', fault: { kind: 'truncated' } })
  expect([await status(), await status()]).toEqual([503, 200])

  const rule = { request: 'GET /v1/notes', calls: [1, 3], fault: { kind: 'status', status: 429 } }
  expect(await (await send('PUT', '/flt_1', rule)).json()).toEqual({ fault_id: 'flt_1', rule, struck: 0 })
  expect([await status(), await status(), await status(), kept.struck]).toEqual([429, 200, 429, 2])
  expect(service.faults.rules[0]).toEqual(rule)

  expect((await send('PUT', '/flt_1', { ...rule, calls: 'some' })).status).toBe(422)
  expect((await send('PUT', '/flt_9', rule)).status).toBe(404)
  kept.remove()
  expect(service.faults.rules).toHaveLength(1)
})
