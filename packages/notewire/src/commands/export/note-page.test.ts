import type { MirroredNote } from '@notewire/mirror'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { HOSTILE_TITLES } from '../../../fixtures/hostile-titles.ts'
import { notePage } from './note-page.ts'

const anyTitle = fc.oneof(
  fc.constantFrom(...HOSTILE_TITLES),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

describe('a page', () => {
  it('contains front matter, summary, content, and the transcript with speakers and times', () => {
    expect(notePage(aNote({}))).toBe(
      `---
note_id: "note_1"
revision: 4
title: "Stand-up"
created_at: "2026-01-05T10:00:00Z"
owner:
  type: "personal"
---

# Stand-up

## Summary

- We **ship**.

## Notes

Bring biscuits.

## Transcript

**Ada** (0:07) Good morning.

**Grace** (1:02:03) \\*Very\\* good_morning.
`,
    )
  })

  it('contains no section for missing content', () => {
    const page = notePage(aNote({ title: null, content: null, summary: null, transcript: null }))
    expect(page).toMatch(/^---\n.*\ntitle: null\n.*\n---\n$/s)
  })

  it('has complete: false until transcript and summary have been read', () => {
    expect(notePage(aNote({ isSettled: false }))).toContain('\ncomplete: false\n---')
  })

  it('contains the text of a transcript without segments', () => {
    expect(notePage(aNote({ transcript: { note_id: 'note_1', text: 'Hello\nthere' } }))).toMatch(
      /## Transcript\n\nHello there\n$/,
    )
  })

  it('has front matter that YAML 1.1 and 1.2 parse with an unchanged title', () => {
    fc.assert(
      fc.property(anyTitle, (title) => {
        const [, yaml = ''] = notePage(aNote({ title })).split(/^---$/m)
        for (const version of ['1.2', '1.1'] as const) {
          expect(parse(yaml, { version })).toMatchObject({ note_id: 'note_1', revision: 4, title })
        }
        // Other parsers reject these characters.
        expect(yaml.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\ufeff]/u)
      }),
    )
  })

  it('escapes markup and HTML in titles and transcripts', () => {
    const text = '<img src=x onerror=alert(1)> [a](javascript:b) `c` # d'
    const page = notePage(aNote({ title: text, transcript: { note_id: 'note_1', text, segments: [{ text }] } }))
    const body = page.split(/^---$/m)[2] ?? ''
    expect(body).not.toMatch(/(?<!\\)[<`]|(?<!\\)\[/)
    expect(
      notePage(aNote({ title: null, content: null, summary: null, transcript: { note_id: 'x', text: '# d' } })),
    ).toContain('\n\\# d\n')
  })
})

function aNote({
  title = 'Stand-up',
  content = 'Bring biscuits.',
  isSettled = true,
  ...parts
}: {
  readonly title?: string | null
  readonly content?: string | null
  readonly isSettled?: boolean
  readonly summary?: MirroredNote['summary']
  readonly transcript?: MirroredNote['transcript']
}): MirroredNote {
  return {
    note: {
      note_id: 'note_1',
      revision: 4,
      title,
      content,
      created_at: '2026-01-05T10:00:00Z',
      owner: { type: 'personal' },
    },
    summary: { note_id: 'note_1', markdown: '- We **ship**.' },
    transcript: {
      note_id: 'note_1',
      text: 'Good morning. Very good_morning.',
      segments: [
        { speaker: 'Ada', start_ms: 7_400, text: 'Good  morning.\n' },
        { speaker: 'Grace', start_ms: 3_723_000, text: '*Very* good_morning.' },
        { speaker: null, text: ' ' },
      ],
    },
    isSettled,
    ...parts,
  }
}
