import { describe, expect, it } from 'vitest'
import { constant, joined, NOTHING, raw, resultOf, type Sql, sql, textOf } from './sql.ts'

const numbered = (statement: Sql) => [textOf(statement, (number) => `$${number}`), ...statement.values]

describe('sql', () => {
  it('makes a parameter of each value, in the order of the text', () => {
    const statement = sql`SELECT ${1}, ${'two'}, ${null} WHERE ${true}`
    expect(numbered(statement)).toEqual(['SELECT $1, $2, $3 WHERE $4', 1, 'two', null, true])
  })

  it('makes a part of the text of a piece of SQL, with its values', () => {
    const inner = sql`b = ${'b'} AND ${sql`c = ${'c'}`}`
    expect(numbered(sql`a = ${'a'} AND ${inner} AND d = ${'d'}`)).toEqual([
      'a = $1 AND b = $2 AND c = $3 AND d = $4',
      ...['a', 'b', 'c', 'd'],
    ])
  })

  it('never makes a part of the text of a text', () => {
    const hostile = "'; DROP TABLE notewire_mirrors; --"
    expect(numbered(sql`note_id = ${hostile}`)).toEqual(['note_id = $1', hostile])
  })

  it('escapes what databases cannot store as text', () => {
    expect(sql`${'a\0b\u001Ac\uD800'}`.values).toEqual(['a\u001A0000b\u001A001ac\u001Ad800'])
  })

  it('joins pieces, and leaves constants in the text', () => {
    const pieces = [sql`a = ${1}`, sql`b = ${2}`, sql`c = ${constant(3)}`]
    expect(numbered(joined(pieces, ' OR '))).toEqual(['a = $1 OR b = $2 OR c = 3', 1, 2])
    expect(numbered(joined([]))).toEqual([''])
    expect(numbered(sql`${NOTHING}${raw('x')}`)).toEqual(['x'])
    expect(numbered(resultOf(sql`f(${1})`))).toEqual(['CAST(f($1) AS text) AS result', 1])
  })
})
