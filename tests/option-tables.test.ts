import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { createReceiver } from '@notewire/webhooks'
import { expect, it } from 'vitest'
import { WORKSPACE } from '../scripts/run.ts'

type Maker = (options: never) => unknown

it.each<[page: string, Maker]>([
  ['packages/client/README.md', (options) => new NotesClient(options)],
  ['packages/mirror/README.md', createMirror],
  ['packages/webhooks/README.md', createReceiver],
])('the table of %s has a row for each option', (page, make) => {
  expect(optionsInTable(page).sort()).toEqual(optionsOf(make).sort())
})

/** The first cells of the table whose first column is called `option`. */
function optionsInTable(page: string): string[] {
  const [, rows = ''] = readFileSync(join(WORKSPACE, page), 'utf8').split(/^\| option \|.*\n\|[ -|]*\n/m)
  const [table = ''] = rows.split('\n\n')
  return [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name)
}

/** The names that the error for an unknown option lists. */
function optionsOf(make: Maker): string[] {
  try {
    make({ unknown: true } as never)
  } catch (error) {
    const [, names = ''] = /It takes: (.*)\.$/.exec(String(error)) ?? []
    return names.split(', ')
  }
  throw new Error('An unknown option was accepted.')
}
