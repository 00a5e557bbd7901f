import { createRequire } from 'node:module'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { caught, compiledObject, runSchema } from './zod-internals.ts'

const FIELDS = { id: z.string(), count: z.optional(z.number()) }

/** The version whose internal names `zod-internals.ts` was read against. */
const READ_AGAINST = '4.6.7'

it('is read again when zod is upgraded: $constructor, $ZodObjectJIT, _zod.parse, _zod.run, abortEarly', () => {
  expect(createRequire(import.meta.url)('zod/package.json').version).toBe(READ_AGAINST)
})

describe('caught', () => {
  it.each(['a text', 7, undefined])('reads %j as z.catch does', (value) => {
    expect(caught(z.string(), () => 'caught').parse(value)).toBe(z.catch(z.string(), () => 'caught').parse(value))
  })
})

describe('runSchema', () => {
  it('returns the value, or issues without messages', () => {
    expect(runSchema(z.string(), 'a', { async: false })).toMatchObject({ value: 'a', issues: [] })
    const { issues } = runSchema(z.array(z.string()), [1, 2], { async: false })
    expect(issues.map(({ path, message }) => ({ path, message }))).toEqual([
      { path: [0], message: undefined },
      { path: [1], message: undefined },
    ])
  })

  it('ends at the first issue if it is told to', () => {
    const { issues } = runSchema(z.array(z.string()), [1, 2], { async: false, abortEarly: true })
    expect(issues).toHaveLength(1)
  })
})

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
