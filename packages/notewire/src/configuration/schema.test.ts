import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { PLAIN_SETTINGS } from './setting-table.ts'

it('the schema for editors knows the settings that the program knows', async () => {
  const schema = JSON.parse(await readFile(new URL('../../notewire.config.schema.json', import.meta.url), 'utf8'))
  expect(Object.keys(schema.properties).sort()).toEqual(['$schema', ...Object.keys(PLAIN_SETTINGS)].sort())
})
