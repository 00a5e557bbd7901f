import assert from 'node:assert/strict'
import { MAX_IDENTIFIER_LENGTH } from '@notewire/protocol'
import { check, type StoreCheck } from './store-check-builder.ts'

/** What a record is found by: its integration and its id, of any characters and length. */
export const keyChecks: readonly StoreCheck[] = [
  check('isolates integrations: grants concurrent claims of the same ids in many of them', async (stage) => {
    const base = stage.request({ eventId: 'one', noteId: 'shared', revision: 7 })
    const all = Array.from({ length: 50 }, (_, index) => ({ ...base, integration: `${base.integration}.${index}` }))
    const claims = await Promise.all(all.map((each) => stage.claim(each)))
    const committed = await Promise.all(claims.map((claim) => stage.store.commit(claim)))
    assert.deepEqual(new Set(committed), new Set(['committed']))
    for (const each of all) await stage.expect('duplicate', each)
    await stage.expect('claimed', base)
  }),

  check('accepts integrations with the names of inherited properties', async (stage) => {
    // All runs of this check share these integrations, so each run uses its own event and note.
    for (const integration of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const each = { ...stage.request({ noteId: `note_${crypto.randomUUID()}`, revision: 3 }), integration }
      await stage.apply(each)
      await stage.expect('duplicate', each)
      assert.equal(await stage.store.forget(integration, each.eventId), 'forgotten')
    }
  }),

  check('forgets an event in one integration only', async (stage) => {
    const one = stage.request({ eventId: 'one' })
    await stage.apply(one)
    assert.equal(await stage.store.forget(`other-${one.integration}`, 'one'), 'unknown')
    await stage.expect('duplicate', one)
  }),

  check('distinguishes integrations and event ids whose concatenations are equal', async (stage) => {
    const base = stage.request({ note: undefined })
    for (const separator of ['', '.', '_', '~', '-']) {
      await stage.apply({ ...base, integration: `${base.integration}${separator}a`, eventId: `b${separator}c` })
      await stage.claim({ ...base, eventId: `a${separator}b${separator}c` })
    }
  }),

  check('distinguishes ids of the maximum length', async (stage) => {
    // Random, so that no store can compress them. Each UTF-16 code unit takes three bytes of UTF-8.
    const filler = (length: number) =>
      String.fromCharCode(...Array.from({ length }, () => 0x4e00 + Math.floor(Math.random() * 0x5000)))
    const integration = stage.request().integration.padEnd(128, '~._-')
    const [eventId, noteId] = [filler(MAX_IDENTIFIER_LENGTH - 1), filler(MAX_IDENTIFIER_LENGTH - 1)]
    const recordingSessionId = filler(MAX_IDENTIFIER_LENGTH)
    const long = (end: string, revision: number) => ({
      eventId: eventId + end,
      integration,
      note: { noteId: noteId + end, change: { kind: 'note.ended' as const, revision, recordingSessionId } },
    })
    await stage.apply(long('a', 7))
    await stage.apply(long('b', 5))
    await stage.expect('duplicate', long('a', 7))
    assert.equal(await stage.store.forget(integration, `${eventId}a`), 'forgotten')
    await stage.expect('duplicate', long('b', 5))
  }),

  check('distinguishes ids of any characters except NUL', async (stage) => {
    const odd = ['\n', '\u0001', ' ', '%', '{}', "'", '\\', '\u{1F4DD}', 'e\u0301', '\u00e9', '\ufffd', '\u2028']
    for (const id of odd) await stage.apply({ eventId: id, noteId: id, revision: 5 })
    for (const id of odd) {
      await stage.expect('duplicate', { eventId: id, noteId: id, revision: 5 })
      await stage.expect('stale', { noteId: id, revision: 5 })
    }
  }),
]
