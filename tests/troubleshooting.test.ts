import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DOCS } from '../docs/.vitepress/contents.ts'
import { errorCodes } from './error-codes.ts'

describe('troubleshooting', () => {
  const entries = new Map(
    readFileSync(join(DOCS, 'troubleshooting.md'), 'utf8')
      .split(/^### /m)
      .slice(1)
      .map((entry) => [/^`(\w+)`$/m.exec(entry)?.[1] ?? entry.slice(0, 40), entry.split(/^## /m)[0] ?? '']),
  )
  const codes = errorCodes()

  it('finds the codes of errors', () => {
    expect(codes.get('secret_malformed')).toEqual(new Set(['webhooks']))
    expect(codes.get('endpoint_not_active')).toEqual(new Set(['client', 'mock-server']))
  })

  it.each([...codes.keys()].sort())('explains %s: the event, its cause and the next step', (code) => {
    const entry = entries.get(code) ?? ''
    for (const question of ['What happened:', 'Why:', 'What to do:']) expect(entry).toMatch(`- **${question}** `)
  })

  it('explains only codes that an error has', () => {
    expect([...entries.keys()].filter((code) => !codes.has(code))).toEqual([])
  })
})
