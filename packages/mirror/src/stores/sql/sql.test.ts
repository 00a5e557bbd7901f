import { describe, expect, it } from 'vitest'
import { constant, resultOf, sql } from './sql.ts'

describe('sql', () => {
  it('makes a parameter of each value, and a part of the text of each piece of SQL', () => {
    const inner = sql`b = ${'b'} AND c = ${null}`
    const { text, values } = sql`SELECT ${resultOf(sql`f(${1})`)} WHERE ${inner} LIMIT ${constant(3)}`
    expect([text, values]).toEqual([
      'SELECT CAST(f($1) AS text) AS result WHERE b = $2 AND c = $3 LIMIT 3',
      [1, 'b', null],
    ])
  })

  it('never makes a part of the text of a text', () => {
    const hostile = "'; DROP TABLE notewire_mirrors; --"
    expect(sql`note_id = ${hostile}`).toMatchObject({ text: 'note_id = $1', values: [hostile] })
  })

  it('escapes what databases cannot store as text, once', () => {
    const text = 'a\0b\u001Ac\uD800'
    expect(sql`${sql`${text}`}`.values).toEqual(['a\u001A0000b\u001A001ac\u001Ad800'])
  })
})
