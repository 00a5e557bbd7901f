import type { Note } from '@notewire/protocol'
import { commitGroups } from '../ledger/ledger.ts'
import type { PagePart, UnusableNote } from '../rules/listing-rule.ts'

/** Divides a page. */
export function partsOf({ notes: listed, ...page }: PagePart, maxNotes: number | undefined): readonly PagePart[] {
  const groups = commitGroups(latestById(listed), maxNotes)
  return groups.map((notes, index) =>
    index === groups.length - 1 ? { ...page, notes } : { ...page, notes, leftOut: [], isUnfinished: true },
  )
}

/** The ids of the notes of a part, whether they can be used or not. */
export function noteIdsIn({ notes, leftOut }: PagePart): readonly string[] {
  const listed = [...notes, ...leftOut].flatMap(({ note_id = [] }) => note_id)
  return [...new Set(listed)]
}

/** Divides a part of a page; without a second half if it has one note. */
export function halvesOf(page: PagePart): readonly [PagePart, PagePart?] {
  const { notes, leftOut } = page
  const identified = leftOut.filter(({ note_id }) => note_id !== undefined)
  if (notes.length + identified.length <= 1) return [page]
  if (notes.length === 0) return bothHalves(page, { leftOut: identified.slice(0, identified.length / 2) })
  if (identified.length > 0) return bothHalves(page, { notes })
  return bothHalves(page, { notes: notes.slice(0, notes.length / 2) })
}

function bothHalves(
  page: PagePart,
  { notes = [], leftOut = [] }: { readonly notes?: readonly Note[]; readonly leftOut?: readonly UnusableNote[] },
): readonly [PagePart, PagePart] {
  const [inNotes, inLeftOut] = [new Set(notes), new Set(leftOut)]
  const rest = {
    notes: page.notes.filter((note) => !inNotes.has(note)),
    leftOut: page.leftOut.filter((note) => !inLeftOut.has(note)),
  }
  return [
    { ...page, notes, leftOut, isUnfinished: true },
    { ...page, ...rest },
  ]
}

/** For a note whose id the store refuses: it may be any note. */
export function withoutIds(page: PagePart): PagePart {
  return { ...page, leftOut: page.leftOut.map(() => ({ note_id: undefined })) }
}

/** A page may contain a note twice, if the note changed while the service created the page. */
function latestById(listed: readonly Note[]): readonly Note[] {
  const notes = new Map<string, Note>()
  for (const note of listed) {
    const known = notes.get(note.note_id)
    if (known === undefined || known.revision <= note.revision) notes.set(note.note_id, note)
  }
  return [...notes.values()]
}
