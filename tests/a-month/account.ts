import type { Channel, IntegrationHandle, IssuedKey, NoteHandle, NotesService, Owner } from '@notewire/mock-server'
import type { Customer } from './customers.ts'
import type { Act } from './plan.ts'

/** The account of a customer at the service: its notes, and the key that it gives to the application. */
export class Account {
  readonly customer: Customer
  readonly owner: Owner
  /** The key of the application sees the personal notes only. */
  readonly #elsewhere: Channel
  readonly #integration: IntegrationHandle
  #key: IssuedKey
  readonly #away = new Set<NoteHandle>()
  #titles = 0

  constructor(service: NotesService, customer: Customer) {
    this.customer = customer
    this.owner = service.createOwner({ name: customer })
    this.#elsewhere = this.owner.createChannel('elsewhere')
    this.#integration = this.owner.createIntegration()
    this.#key = this.#integration.issueKey()
  }

  get apiKey(): string {
    return this.#key.key
  }

  issueKey(): IssuedKey {
    const old = this.#key
    this.#key = this.#integration.issueKey()
    return old
  }

  revokeKey(): void {
    this.#key.revoke()
  }

  act({ kind, draw }: Act): void {
    const notes = this.owner.notes()
    const note = notes[draw % Math.max(1, notes.length)]
    if (kind === 'record' || note === undefined) this.#record(draw)
    else if (kind === 'edit') note.edit(draw % 2 === 0 ? { title: this.#title() } : { content: this.#title() })
    else if (kind === 'record again') note.record().end(draw % 4 === 0 ? { summary: false } : {})
    else if (kind === 'delete') note.delete()
    else this.#move(note)
  }

  #record(draw: number): void {
    this.owner.record({ title: this.#title() }).end(draw % 4 === 0 ? { summary: false } : {})
  }

  #move(note: NoteHandle): void {
    const isAway = this.#away.delete(note)
    if (!isAway) this.#away.add(note)
    note.moveTo(isAway ? 'personal' : this.#elsewhere)
  }

  /** Names the customer, so that a note in a foreign copy is noticed. */
  #title(): string {
    this.#titles += 1
    return `${this.customer} ${this.#titles}`
  }
}
