import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { aLiveState, aNote, aTranscript } from '../../../fixtures/store-checks/builders.ts'
import { CheckContext } from '../../../fixtures/store-checks/check.ts'
import { MAX_INDEXED } from '../indexed-text.ts'
import { sqliteMirror } from './index.ts'

const LONG = `early ${'a '.repeat(MAX_INDEXED / 2)} late`

// The definitions of version 0.1.0.
const add = (row: string) => `
  INSERT INTO notewire_mirror_search (rowid, title, content, summary, transcript)
  VALUES (${row}.row_id, ${row}.title, ${row}.content, ${row}.summary, ${row}.transcript);`
const remove = `
  INSERT INTO notewire_mirror_search (notewire_mirror_search, rowid, title, content, summary, transcript)
  VALUES ('delete', old.row_id, old.title, old.content, old.summary, old.transcript);
  INSERT INTO notewire_mirror_search (notewire_mirror_search) VALUES ('flush');`
const UNLIMITED = `
  DROP TABLE notewire_mirror_runs;
  DROP VIEW notewire_mirror_indexed;
  CREATE VIEW notewire_mirror_indexed AS
    SELECT row_id, title, content, summary, transcript FROM notewire_mirror_content WHERE is_indexed = 1;
  DROP TRIGGER notewire_mirror_content_inserted;
  CREATE TRIGGER notewire_mirror_content_inserted AFTER INSERT ON notewire_mirror_content WHEN new.is_indexed BEGIN ${add('new')} END;
  DROP TRIGGER notewire_mirror_content_deleted;
  CREATE TRIGGER notewire_mirror_content_deleted AFTER DELETE ON notewire_mirror_content WHEN old.is_indexed BEGIN ${remove} END;
  DROP TRIGGER notewire_mirror_content_completed;
  CREATE TRIGGER notewire_mirror_content_completed AFTER UPDATE OF is_indexed ON notewire_mirror_content
    WHEN new.is_indexed AND NOT old.is_indexed BEGIN ${add('new')} END;
  DROP TRIGGER notewire_mirror_content_updated;
  CREATE TRIGGER notewire_mirror_content_updated
    AFTER UPDATE OF record, summary_record, transcript_record ON notewire_mirror_content
    WHEN old.is_indexed AND (old.title IS NOT new.title OR old.content IS NOT new.content
      OR old.summary IS NOT new.summary OR old.transcript IS NOT new.transcript) BEGIN ${remove} ${add('new')} END;`

async function withFile(body: (path: string) => Promise<void>): Promise<void> {
  const path = join(tmpdir(), `${crypto.randomUUID()}.db`)
  try {
    await body(path)
  } finally {
    for (const end of ['', '-wal', '-shm']) await rm(`${path}${end}`, { force: true })
  }
}

/** Throws if the index contains other words than those of the view. */
function checkIndex(path: string): void {
  using database = new DatabaseSync(path)
  database.exec("INSERT INTO notewire_mirror_search (notewire_mirror_search, rank) VALUES ('integrity-check', 1)")
}

const transcript = (noteId: string, text: string) => ({
  state: aLiveState(noteId),
  content: { note: aNote(noteId), transcript: aTranscript(noteId, text) },
})

describe('the search index of SQLite', () => {
  it('contains the beginning of a long text, which is stored whole and deleted correctly', () =>
    withFile(async (path) => {
      const store = sqliteMirror(path)
      await store.migrate()
      const { write, found, contentOf } = new CheckContext(store)
      await write(transcript('long', LONG), transcript('short', 'early and late'))
      expect(await found('early')).toEqual(['long', 'short'])
      expect(await found('late')).toEqual(['short'])
      expect(await contentOf('long')).toMatchObject({ transcript: { text: LONG } })
      checkIndex(path)
      await write(transcript('long', `walrus ${LONG}`))
      expect(await found('walrus')).toEqual(['long'])
      checkIndex(path)
      await write({ state: aLiveState('long'), content: 'erase' })
      expect(await found('early')).toEqual(['short'])
      checkIndex(path)
      await store.purge()
      checkIndex(path)
      store.close()
    }))

  it('deletes text that version 0.1.0 has indexed whole', () =>
    withFile(async (path) => {
      const old = sqliteMirror(path)
      await old.migrate()
      {
        using database = new DatabaseSync(path)
        database.exec(UNLIMITED)
      }
      const before = new CheckContext(old)
      await before.write(...['edited', 'erased', 'kept', 'same'].map((noteId) => transcript(noteId, LONG)))
      expect(await before.found('late')).toHaveLength(4)

      const store = sqliteMirror(path)
      await store.migrate()
      expect(await before.found('late')).toHaveLength(4)
      await before.write(transcript('same', LONG))
      await before.write(transcript('edited', `walrus ${LONG}`))
      await before.write({ state: aLiveState('erased'), content: 'erase' })
      checkIndex(path)
      expect(await before.found('walrus')).toEqual(['edited'])
      expect(await before.found('late')).toEqual(['kept'])
      expect(await before.found('early')).toEqual(['edited', 'kept', 'same'])
      await store.purge()
      checkIndex(path)
      expect(await before.found('late')).toEqual(['kept'])
      old.close()
      store.close()
    }))
})
