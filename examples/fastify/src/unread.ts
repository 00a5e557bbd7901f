const revisions = new Map<string, number>()

/** The notes that changed since a user read them, with the revision of the change. A real application uses a database. */
export const unread = {
  revisions: revisions as ReadonlyMap<string, number>,

  add({ note_id, revision }: { readonly note_id: string; readonly revision: number }): void {
    revisions.set(note_id, revision)
  },

  remove(noteId: string): void {
    revisions.delete(noteId)
  },
}
