import { NotesClient } from '@notewire/client'
import { keyIdOf } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { withoutSecrets } from '../packages/mock-server/src/control/hidden-secrets.ts'
import { setVariables } from '../packages/notewire/src/commands/listen/replaced-lines.ts'
import { coloured } from '../packages/notewire/src/terminal/colour.ts'
import { conceal } from '../packages/notewire/src/terminal/output.ts'
import { isPrintable, printable, printableJson, wrap } from '../packages/notewire/src/terminal/width.ts'
import { type Attack, attacksOn, attacksWith } from './linear-expressions/attacks.ts'
import { expressionsInSources } from './linear-expressions/expressions-in-sources.ts'
import { isLinear } from './linear-expressions/running-time.ts'

const EXPRESSIONS = expressionsInSources()

const PUMPS = [
  '/',
  '=',
  ' ',
  '\t',
  '-',
  'a',
  'a ',
  '\n',
  '\\',
  '%',
  'a_live_',
  'a_live_b.',
  '_live_.',
  'whsec_',
  'ntw_',
  'note_a',
  '\u001b[',
  '1;',
]

describe('the running time is linear', () => {
  const literals = new Map(
    EXPRESSIONS.flatMap(({ file, literal }) => (literal ? [[`${literal} in ${file}`, literal]] : [])),
  )

  it.each([...literals])('of %s', (_name, expression) => {
    const run = (text: string) => (expression.global ? text.replace(expression, '') : expression.exec(text))
    expect(slowAttack(run, attacksOn(expression))).toBeUndefined()
  })

  it.each<[string, (text: string) => unknown]>([
    ['keyIdOf', keyIdOf],
    ['a base URL of the client', (text) => new NotesClient({ baseUrl: `https://notes.example/${text}x`, apiKey: 'k' })],
    [
      'an API key of the client',
      (text) => ignoringErrors(() => new NotesClient({ baseUrl: 'https://notes.example', apiKey: text })),
    ],
    ['the text of an error of the command line', (text) => conceal(text, new Set(['ntw_live_k7.s3cret']))],
    ['the lines of an error of the command line', (text) => wrap(text, 80, '  ')],
    ['a text that is made printable', (text) => [printable(coloured('red', text)), isPrintable(text)]],
    ['JSON that is made printable', (text) => printableJson(text)],
    ['a change of .env', (text) => setVariables(text, [['NOTES_BASE_URL', 'https://notes.example']], 1)],
    ['a request that the mock server shows', (text) => withoutSecrets(text, 'ntw')],
  ])('of %s', (_name, run) => {
    expect(slowAttack(run, attacksWith(PUMPS))).toBeUndefined()
  })
})

it('every expression that is made at run time is in a file that is attacked above, or matches only what the user types', () => {
  const files = EXPRESSIONS.filter(({ literal }) => literal === undefined).map(({ file }) => file)
  expect(files.sort()).toEqual([
    'packages/mock-server/src/control/hidden-secrets.ts',
    'packages/notewire/src/commands/listen/replaced-lines.ts',
    'packages/notewire/src/commands/search.ts',
    'packages/notewire/src/terminal/colour.ts',
    'packages/notewire/src/terminal/width.ts',
    'packages/notewire/src/terminal/width.ts',
    'packages/notewire/src/terminal/width.ts',
  ])
})

it.each([/\/+$/, /a_live_[a-z_]+\./, /^(.*)((?:note|whe)_\w+)(.*)$/, /^[A-Za-z_-\s]*={0,2}\s*$/, /Default: (.*)\./])(
  'the attacks find that %s is not linear',
  (expression) => {
    expect(slowAttack((text) => expression.exec(text), attacksOn(expression))).toBeDefined()
  },
)

function slowAttack(run: (text: string) => unknown, attacks: readonly Attack[]): Attack | undefined {
  return attacks.find((attack) => !isLinear(run, attack))
}

function ignoringErrors(run: () => unknown): void {
  try {
    run()
  } catch {
    // An invalid value is refused. Only the time matters.
  }
}
