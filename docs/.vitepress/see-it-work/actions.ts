import type { Demonstration, SelectedNote } from './demonstration.ts'

/** A button of the page. */
export interface Action {
  readonly label: string
  /** What happened, and what each receiver did. */
  readonly text: string
  act(demonstration: Demonstration, note: SelectedNote): Promise<void> | void
}

export const ACTIONS: readonly Action[] = [
  {
    label: 'Record a meeting',
    text: 'A meeting ended. The service sent note.ended, and note.summary.generated when the summary was ready. Both receivers fetched the note and its content.',
    act: ({ service }) => void service.owner.record().end(),
  },
  {
    label: 'Edit',
    text: 'The title was changed, and the service sent note.updated. Both receivers fetched the note.',
    act: (_, note) => edit(note),
  },
  {
    label: 'Delete',
    text: 'The note was deleted, and the service sent note.deleted. Both receivers removed their copy.',
    act: (_, { handle }) => handle.delete(),
  },
  {
    label: 'Take access away',
    text: 'The note was moved to a channel that the API key cannot access. The service sent note.deleted with the reason access_lost. Both receivers removed their copy.',
    act: ({ service }, { handle }) => handle.moveTo(service.owner.createChannel('Board')),
  },
  {
    label: 'Deliver twice',
    text: 'The service delivered the last event of the note again. The naive receiver fetched and wrote the note again. Notewire recognised the event ID and responded 204 without calling its handler.',
    act: (demonstration, { handle }) => demonstration.repeatLastEvent(handle.note_id),
  },
  {
    label: 'Deliver out of order',
    text: 'The note was edited, then deleted, and note.deleted arrived before note.updated. The naive receiver wrote the deleted note again. Notewire ignored the older event.',
    async act({ service }, note) {
      service.faults.inject({ delivery: 'note.updated', calls: [1, 2], fault: { kind: 'delayed', by: '20s' } })
      edit(note)
      await service.clock.advance('6s')
      note.handle.delete()
      await service.clock.advance('30s')
      service.faults.clear()
    },
  },
  {
    label: 'Forge a deletion',
    text: 'An attacker sent note.deleted with an invented signature. The naive receiver does not verify signatures and deleted its copy of the note. Notewire responded 401.',
    act: (demonstration, { handle }) => demonstration.forgeDeletion(handle.note_id),
  },
  {
    label: 'Change the secret',
    text: 'The service now signs with a new secret, and for 24 hours also with the old one. Then the title was changed. The naive receiver does not verify signatures. Notewire accepted both secrets.',
    async act(demonstration, note) {
      await demonstration.rotateSecrets()
      edit(note)
    },
  },
  {
    label: 'Let a handler fail',
    text: 'The title was changed, and the first write of each copy failed. The naive receiver had already responded 200, so the service did not send the event again. Notewire responded 500, and its second attempt succeeded.',
    act(demonstration, note) {
      demonstration.failNextWrite()
      edit(note)
    },
  },
  {
    label: 'Lose an event',
    text: 'The title was changed, and no attempt to deliver the event reaches a receiver. Both copies are outdated. Notewire finds the change in its daily full listing: press Compare.',
    act(demonstration, note) {
      demonstration.loseNextEvent()
      edit(note)
    },
  },
]

function edit({ handle, title }: SelectedNote): void {
  handle.edit({ title: `${title.replace(/, version \d+$/, '')}, version ${handle.revision + 1}` })
}
