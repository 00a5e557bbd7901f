import { describe, expect, it } from 'vitest'
import { apiErrorBodySchema } from './resources.ts'

describe('the body of a REST error (open point 22)', () => {
  it.each([
    { error: { code: 'not_found', message: 'There is no such note.' } },
    { error: { code: 'scope_missing', message: 'The key may not.', scope: 'summaries:read' } },
    { error: { code: 'invalid', message: 'No.', details: [1] }, trace: 'x' },
  ])('may be %j', (body) => expect(apiErrorBodySchema.safeParse(body)).toEqual({ success: true, data: body }))

  it.each(['<html>', null, {}, { error: 'not found' }, { error: { message: 'no code' } }])('cannot be %j', (body) =>
    expect(apiErrorBodySchema.safeParse(body).success).toBe(false),
  )
})
