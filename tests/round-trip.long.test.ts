import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NotesClient, NotesClientError } from '@notewire/client'
import { createNotesService, type NoteHandle, type NotesService } from '@notewire/mock-server'
import { NOTE_EVENT_KINDS, type NoteEvent } from '@notewire/protocol'
import { createReceiver, type ProcessOutcome, type ReceiverOptions, type SecretSource } from '@notewire/webhooks'
import { expressHandler } from '@notewire/webhooks/express'
import { nodeHandler } from '@notewire/webhooks/node'
import express from 'express'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** A copy of the titles. Its handlers read the note of each event through the client. */
class TitleCopy {
  readonly titles = new Map<string, string | null | undefined>()
  readonly outcomes: ProcessOutcome[] = []
  readonly #client: NotesClient

  constructor(client: NotesClient) {
    this.#client = client
  }

  receiverOptions(service: NotesService, secret: SecretSource): ReceiverOptions {
    const refresh = ({ data }: NoteEvent) => this.#refresh(data.note_id)
    return {
      secret,
      clock: service.clock,
      logger: quiet,
      hooks: { onOutcome: (outcome) => this.outcomes.push(outcome) },
      on: {
        'note.ended': refresh,
        'note.summary.generated': refresh,
        'note.updated': refresh,
        'note.deleted': ({ data }) => this.titles.delete(data.note_id),
      },
    }
  }

  async #refresh(noteId: string): Promise<void> {
    try {
      const note = await this.#client.notes.get(noteId)
      if (note.status === 'deleted') this.titles.delete(noteId)
      else this.titles.set(noteId, note.title)
    } catch (error) {
      if (!(error instanceof NotesClientError && error.code === 'not_found')) throw error
      this.titles.delete(noteId)
    }
  }
}

async function titlesAtTheService(client: NotesClient): Promise<Map<string, string | null | undefined>> {
  const titles = new Map<string, string | null | undefined>()
  for await (const note of client.notes.list()) titles.set(note.note_id, note.title)
  return titles
}

describe.each(['node:http', 'Express'])('a round trip over sockets with %s', (framework) => {
  it('adds a note that has ended to the copy, and removes a deleted note (§1)', async () => {
    await using service = await createNotesService({ clock: 'virtual', contract: { verification: 'before_response' } })
    const { url: baseUrl } = await service.listen()
    const client = new NotesClient({ baseUrl, apiKey: service.apiKey })
    const copy = new TitleCopy(client)
    let secret: string | undefined
    const receiver = createReceiver(copy.receiverOptions(service, () => secret))
    const listener = framework === 'Express' ? express().use('/notes', expressHandler(receiver)) : nodeHandler(receiver)
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo

    const endpoint = await client.webhookEndpoints.create({
      url: `http://127.0.0.1:${port}/notes`,
      events: NOTE_EVENT_KINDS,
    })
    secret = endpoint.signing_secret
    expect(endpoint.status).toBe('pending_verification')
    expect(service.attempts.map(({ outcome }) => outcome)).toEqual([{ kind: 'answered', status: 503 }])

    await service.clock.advance('29s')
    expect((await client.webhookEndpoints.get(endpoint.endpoint_id)).status).toBe('pending_verification')
    await service.clock.advance('1s')
    expect((await client.webhookEndpoints.waitUntilActive(endpoint.endpoint_id)).status).toBe('active')

    const note = service.owner.record({ title: 'Stand-up' }).end()
    await service.settled()
    expect(copy.titles).toEqual(new Map([[note.note_id, 'Stand-up']]))

    note.moveTo(service.owner.createChannel('Team'))
    await service.settled()
    expect(copy.titles).toEqual(new Map())
    await expect(client.notes.get(note.note_id)).rejects.toMatchObject({ code: 'not_found' })
    const lost = service.deliveries.at(-1)
    expect(JSON.parse(lost?.body ?? '')).toMatchObject({ event_type: 'note.deleted', data: { reason: 'access_lost' } })

    server.close()
    server.closeAllConnections()
  })
})

describe('a copy that only handlers update', () => {
  const anAct = fc.record({
    act: fc.constantFrom('record', 'record', 'edit', 'edit', 'edit', 'record again', 'delete', 'move out'),
    which: fc.nat(),
    pauseSeconds: fc.constantFrom(0, 0, 1, 10, 600),
  })
  const aShare = fc.constantFrom(0, 0.2, 0.5)
  const aHistory = fc.record({
    seed: fc.nat(),
    disorder: fc.record({ duplicated: aShare, reordered: aShare, failing: fc.constantFrom(0, 0.2, 0.4) }),
    acts: fc.array(anAct, { minLength: 1, maxLength: 25 }),
  })

  it('agrees with the service when all events are delivered, after any operations and in any order', async () => {
    await fc.assert(
      fc.asyncProperty(aHistory, async ({ seed, disorder, acts }) => {
        await using service = await createNotesService({ seed, disorder })
        const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch })
        const copy = new TitleCopy(client)
        await service.connect((secret) => createReceiver(copy.receiverOptions(service, secret)).fetch)
        for (const [index, { act, which, pauseSeconds }] of acts.entries()) {
          perform(service, act, which, index)
          await service.clock.advance(pauseSeconds * 1000)
        }
        await service.settled()
        // After seven failed attempts an event is lost (contract §6), and no handler receives it.
        fc.pre(!service.deliveries.some(({ status }) => status === 'given_up'))
        expect(service.deliveries.filter(({ status }) => status !== 'delivered')).toEqual([])
        expect(copy.titles).toEqual(await titlesAtTheService(client))
        expectEachEventAppliedOnce(copy.outcomes)
      }),
      { numRuns: 500 },
    )
  })
})

function perform(service: NotesService, act: string, which: number, index: number): void {
  const { owner } = service
  // Only visible notes: the service sends no event about others.
  const visible = owner.notes().filter((note) => !hidden.get(service)?.has(note.note_id))
  const note: NoteHandle | undefined = visible[which % visible.length]
  if (note === undefined || act === 'record') owner.record({ title: `Note ${index}` }).end()
  else if (act === 'edit') note.edit({ title: `Edit ${index}` })
  else if (act === 'record again') note.record().end()
  else if (act === 'delete') note.delete()
  else {
    note.moveTo(owner.createChannel(`Channel ${index}`))
    hidden.set(service, new Set([...(hidden.get(service) ?? []), note.note_id]))
  }
}

const hidden = new WeakMap<NotesService, Set<string>>()

function expectEachEventAppliedOnce(outcomes: readonly ProcessOutcome[]): void {
  const applied = outcomes.filter(({ status }) => status === 'applied').map(({ event }) => event.event_id)
  expect(new Set(applied).size).toBe(applied.length)
}
