import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DOCS } from '../docs/.vitepress/contents.ts'
import { errorCodes } from './error-codes.ts'

describe('troubleshooting', () => {
  const page = readFileSync(join(DOCS, 'troubleshooting.md'), 'utf8')
  const sections = new Map(
    page
      .split(/^### /m)
      .slice(1)
      .map((entry) => [/^`(\w+)`$/m.exec(entry)?.[1] ?? entry.slice(0, 40), entry.split(/^## /m)[0] ?? '']),
  )
  // Codes whose explanation is short are rows: what happened and why, and what to do.
  const rows = new Map(
    [...page.matchAll(/^\| `(\w+)` \| (.+) \| (.+) \|$/gm)].map(([, code = '', ...cells]) => [code, cells]),
  )
  const codes = errorCodes()

  it('finds the codes of errors', () => {
    expect(codes.get('secret_malformed')).toEqual(new Set(['webhooks']))
    expect(codes.get('endpoint_not_active')).toEqual(new Set(['client', 'mock-server']))
  })

  it.each([...codes.keys()].sort())('explains %s: its cause and the next step', (code) => {
    if (rows.has(code)) {
      for (const cell of rows.get(code) ?? []) expect(cell).toMatch(/^[A-Z`].{12,}\.$/)
      return
    }
    const entry = sections.get(code) ?? ''
    for (const question of ['Why:', 'What to do:']) expect(entry).toMatch(`- **${question}** `)
  })

  it('explains only codes that an error has', () => {
    expect([...sections.keys(), ...rows.keys()].filter((code) => !codes.has(code))).toEqual([])
  })
})
