import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { compiledObject } from './fields.ts'

const FIELDS = { id: z.string(), count: z.optional(z.number()) }

describe('compiledObject', () => {
  it.each([{ id: 'a', count: 1 }, { id: 'a', more: true }, { id: 1 }, { count: 'x' }, null, [], 'text'])(
    'reads %j as looseObject does',
    (value) => {
      const expected = z.looseObject(FIELDS).safeParse(value)
      const found = compiledObject(FIELDS).safeParse(value)
      expect(found.success).toBe(expected.success)
      expect(found.data).toEqual(expected.data)
      expect(found.error?.issues).toEqual(expected.error?.issues)
    },
  )

  it('is compiled', () => {
    const compile = vi.spyOn(globalThis, 'Function')
    compiledObject(FIELDS).parse({ id: 'a' })
    expect(compile).toHaveBeenCalled()
    compile.mockRestore()
  })
})
