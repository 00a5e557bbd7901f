import { describe, expect, it } from 'vitest'
import { transactionStatementIn } from './transaction-statements.ts'

describe('transactionStatementIn', () => {
  it.each([
    ['COMMIT', 'COMMIT'],
    ['  commit ;', 'COMMIT'],
    ['\n\t/* a /* nested */ comment */ -- and a line\n Commit and chain', 'COMMIT'],
    ['begin', 'BEGIN'],
    ['BEGIN ISOLATION LEVEL SERIALIZABLE', 'BEGIN'],
    ['start transaction read only', 'START TRANSACTION'],
    ['START/**/TRANSACTION', 'START TRANSACTION'],
    ['end', 'END'],
    ['abort work', 'ABORT'],
    ['rollback', 'ROLLBACK'],
    ['ROLLBACK TRANSACTION', 'ROLLBACK'],
    ['ROLLBACK AND CHAIN', 'ROLLBACK'],
    ["PREPARE TRANSACTION 'one'", 'PREPARE TRANSACTION'],
    ['SELECT 1; COMMIT; SELECT 2', 'COMMIT'],
    [';;; ROLLBACK; BEGIN', 'ROLLBACK'],
    ["INSERT INTO a VALUES ('x''; y'); commit", 'COMMIT'],
    ["SELECT E'it\\'s; '; commit", 'COMMIT'],
    ["SELECT E'it''s \\\\'; commit", 'COMMIT'],
    ['SELECT "a;b""c"; commit', 'COMMIT'],
    ['DO $$ BEGIN NULL; END $$; commit', 'COMMIT'],
    ['SELECT $tag$ $$ ; $other$ $tag$; commit', 'COMMIT'],
    ['SELECT a$b; commit', 'COMMIT'],
    ['SELECT $1; commit', 'COMMIT'],
    ['SELECT (1); commit', 'COMMIT'],
    ['CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END; commit', 'COMMIT'],
  ])('finds %j', (text, statement) => {
    expect(transactionStatementIn(text)).toBe(statement)
  })

  it.each([
    '',
    ' ; ',
    'SELECT 1',
    'ROLLBACK TO mine',
    'rollback to savepoint mine',
    'ROLLBACK WORK TO mine',
    'rollback /* x */ transaction to mine; SELECT 1',
    'SAVEPOINT mine; RELEASE mine',
    'PREPARE transactions AS SELECT 1',
    'DO $$ BEGIN NULL; END $$',
    'DO $body$ BEGIN COMMIT; END $body$;',
    "SELECT '; COMMIT'",
    "SELECT E'\\'; COMMIT;'",
    'SELECT "; COMMIT"',
    '-- ; COMMIT\nSELECT 1',
    '/* ; COMMIT; /* ; END; */ ; END */ SELECT 1;',
    'SELECT commit FROM ends; SELECT beginning; SELECT "commit"',
    'CREATE RULE r AS ON DELETE TO a DO ALSO (DELETE FROM b; DELETE FROM c);',
    'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END;',
    'COMMITTED',
    "SELECT 'not closed; COMMIT",
  ])('finds nothing in %j', (text) => {
    expect(transactionStatementIn(text)).toBeUndefined()
  })

  it.each([';', "E'''", '/*', '*/', '$a$', '$', 'BEGIN ATOMIC ', '(', "'", '"', '-- x\n', '/**/;', 'CASE '])(
    'reads %j in time that grows with its length',
    (part) => {
      const timeOf = (count: number) => {
        const text = `SELECT 1; ${part.repeat(count)}`
        const began = performance.now()
        transactionStatementIn(text)
        return performance.now() - began
      }
      timeOf(20_000)
      expect(timeOf(200_000)).toBeLessThan(30 * Math.max(10, timeOf(20_000)))
    },
  )
})
