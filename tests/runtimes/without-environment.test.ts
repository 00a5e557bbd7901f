import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { run, WORKSPACE } from '../../scripts/run.ts'
import { deno } from './runtimes.ts'

// Below the package, from where its own imports are found.
const PARENT = join(WORKSPACE, 'packages/client/dist')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(PARENT, 'without-environment-'))
})
afterAll(() => rm(folder, { recursive: true }))

it('a client in Deno without --allow-env needs its options, and nothing of the environment', async () => {
  const program = join(folder, 'main.mjs')
  await writeFile(
    program,
    `import { NotesClient } from '../index.js'
     const { keyId } = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
     try {
       new NotesClient({ baseUrl: 'https://notes.example' })
     } catch ({ code, message }) {
       console.log(JSON.stringify({ keyId, code, message }))
     }`,
  )
  const args = ['run', '--no-prompt', '--allow-read', '--no-lock', '--node-modules-dir=manual', program]
  expect(JSON.parse(await run(deno.program, args, folder))).toMatchObject({
    keyId: 'k7',
    code: 'option_invalid',
    message: expect.stringContaining('NOTES_API_KEY'),
  })
})
