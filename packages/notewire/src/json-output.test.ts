import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { signAttempt } from '@notewire/webhooks/testing'
import { afterEach, expect, it } from 'vitest'
import { jsonLines } from '../fixtures/json-lines.ts'
import { cleanUp } from '../fixtures/leftovers.ts'
import { mockService } from '../fixtures/mock-service.ts'
import { runNotewire } from '../fixtures/run-notewire.ts'
import { aSecret } from '../fixtures/secrets.ts'
import { temporaryFolder } from '../fixtures/temporary-folder.ts'

afterEach(cleanUp)

it('every JSON object that a command prints has schema_version 1, and every field is in snake_case', async () => {
  const { service, env: access } = await mockService()
  const note = service.owner.record({ title: 'Budget' }).end()
  const cwd = await temporaryFolder()
  const secret = aSecret
  const env = { ...access, NOTES_SIGNING_SECRET: secret }
  const { headers, body } = await signAttempt(secret, JSON.stringify({ event_type: 'endpoint.test' }))
  await writeFile(join(cwd, 'delivery.json'), JSON.stringify({ headers, body }))
  const commands = [
    ['pull'],
    ['status'],
    ['search', 'budget'],
    ['explain', note.note_id],
    ['explain', 'note_unknown'],
    ['export', 'notes'],
    ['export', 'notes.jsonl', '--format', 'jsonl'],
    ['export', '-', '--format', 'jsonl'],
    ['endpoints', 'create', 'http://127.0.0.1:9/hook'],
    ['endpoints', 'list'],
    ['verify', 'delivery.json'],
    ['doctor', '--list'],
    ['--version'],
  ]
  for (const args of commands) {
    const { stdout } = await runNotewire([...args, '--json'], { env, cwd })
    expect(stdout, args.join(' ')).not.toBe('')
    for (const printed of jsonLines(stdout)) {
      expect(printed, args.join(' ')).toMatchObject({ schema_version: 1 })
      expect(fieldsOf(printed).filter((field) => !/^[a-z0-9]+(_[a-z0-9]+)*$/.test(field))).toEqual([])
    }
  }
})

function fieldsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(fieldsOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([field, inner]) => [field, ...fieldsOf(inner)])
}
