import { describe, expect, it } from 'vitest'
import { mirroredService } from '../../fixtures/mirrored-service.ts'
import { aGoneNote, aLiveNote, NOW } from '../../fixtures/note-states.ts'
import { unknownNote } from '../notes/note-state.ts'
import { explain } from './explain.ts'

describe('an explanation of a note', () => {
  it('says that the note was never named', () => {
    expect(explain('n1', undefined)).toEqual({
      noteId: 'n1',
      presence: 'unknown',
      reasons: ['No listing, read or event has ever named this note.'],
      state: undefined,
    })
  })

  it.each([
    [
      'it is shown',
      aLiveNote(),
      /at revision 5.*Last checked 2026-01-01T12:00:00.000Z by a poll, which found it present.*that of revision 5/,
    ],
    [
      'its content is still to come',
      aLiveNote({ settledRevision: null }),
      /has not read its transcript and summary yet/,
    ],
    ['it is gone', aGoneNote(), /It is gone.*by a read of this note, which found it absent \(sequence 20 to 21\)/],
    [
      'an event hid it',
      aLiveNote({
        presence: 'hidden',
        hiddenSequence: 30,
        heard: { kind: 'note.deleted', revision: 6, sequence: 30, at: NOW },
      }),
      /an event announced its removal.*note\.deleted at revision 6, 2026/,
    ],
    [
      'a full listing holds it back',
      aLiveNote({ presence: 'hidden', heldByFullListing: 's1' }),
      /full listing s1 .*until you accept the removals/,
    ],
    ['the mirror has not read it', unknownNote('n1'), /an event named it, but the mirror has not read it yet/],
    [
      'an answer lags behind an event',
      aLiveNote({ readAfterSequence: 9, hintedRevision: 7, attempts: 2, dueAt: NOW }),
      /to get revision 7 or later, after 2 attempts, at 2026/,
    ],
    [
      'its deletion was announced, and stale reads do not count',
      aGoneNote({ floor: { revision: 7, at: NOW, deletedAt: NOW, unrevisedAt: null } }),
      /announced at revision 7, 2026-01-01T12:00:00.000Z: only a later revision.* begins at 2026-01-01T12:01:00.001Z or later/,
    ],
    [
      'its deletion was announced without a revision',
      aGoneNote({ floor: { revision: null, at: NOW, deletedAt: NOW, unrevisedAt: null } }),
      /only a read that begins at 2026-01-01T12:01:00.001Z or later shows it again/,
    ],
    [
      'reads contradict what is known',
      aLiveNote({ contradictedSince: NOW, readAfterSequence: 12, dueAt: NOW }),
      /Since 2026-01-01T12:00:00.000Z the service shows a lower revision .* after about eight and a half minutes/,
    ],
    [
      'reads contradict its deletion',
      aGoneNote({ contradictedSince: NOW, floor: { revision: 7, at: NOW, deletedAt: NOW, unrevisedAt: null } }),
      /a full listing that begins a day after the event accepts the lower revision/i,
    ],
  ])('when %s', (_, state, pattern) => {
    expect(explain('n1', state).reasons.join(' ')).toMatch(pattern)
  })

  it('without its content', async () => {
    await using world = await mirroredService()
    const note = world.service.owner
      .record({ title: 'Very private' })
      .end({ transcript: [{ text: 'hush' }], summary: 'shh' })
    await world.service.settled()
    await world.mirror.sync()
    expect((await world.mirror.get(note.note_id))?.note.title).toBe('Very private')
    expect(JSON.stringify(await world.mirror.explain(note.note_id))).not.toMatch(/Very private|hush|shh/)
  })
})
