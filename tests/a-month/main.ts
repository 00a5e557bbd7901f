// Plays one month and tells it in words: npm run simulate:month -- --seed 7 --bug 'a duplicate is processed'

import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { startPostgres } from '../servers/postgres.ts'
import { playMonth } from './month.ts'

const { values } = parseArgs({ options: { seed: { type: 'string' }, bug: { type: 'string' } } })
const seed = Number(values.seed ?? randomInt(2 ** 31))
await using server = await startPostgres()
const { violations, lines } = await playMonth({ seed, server, bug: values.bug })
console.log(lines.join('\n'))
console.log(`\nThe month of seed ${seed}: ${violations.join('\n') || 'every promise was kept.'}`)
if (violations.length > 0) process.exitCode = 1
