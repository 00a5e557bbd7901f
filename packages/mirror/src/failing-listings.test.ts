import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { anEvent } from '@notewire/webhooks/testing'
import { describe, expect, it } from 'vitest'
import { manyCustomers, receiverOnPort, workFor } from '../fixtures/many-customers.ts'
import { memoryMirror } from '../fixtures/memory-mirror/memory-mirror.ts'
import { onClock } from '../fixtures/on-clock.ts'
import { SILENT } from '../fixtures/silent-logger.ts'
import { whileRunning } from '../fixtures/while-running.ts'
import { createMirror, createMirrors } from './index.ts'

/** Requests that a service refuses for ever, and what then is the only listing that works. */
const POLLS = { name: 'polls', isRefused: (url: URL) => url.searchParams.has('updated_after') }
const FULL = { name: 'full listings', isRefused: (url: URL) => !url.searchParams.has('updated_after') }

function refusing({ isRefused }: typeof POLLS, status: number, send: (request: Request) => Promise<Response>) {
  return async (request: Request) => {
    const url = new URL(request.url)
    if (url.pathname !== '/v1/notes' || !isRefused(url)) return await send(request)
    return Response.json({ error: { code: 'invalid_request', message: 'no' } }, { status })
  }
}

describe.each([400, 404, 500])('a service that answers every poll with %i', (status) => {
  it('has a full listing once a day, whose deletions one mirror finds', async () => {
    await using service = await createNotesService({ notes: 3 })
    const fetch = refusing(POLLS, status, service.fetch)
    const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch, maxRetries: 0 })
    const mirror = createMirror({ client, store: memoryMirror({ clock: service.clock }), logger: SILENT })
    await mirror.sync()
    service.owner.notes()[0]?.moveTo(service.owner.createChannel('elsewhere'))
    await service.clock.advance('25h')
    await expect(mirror.sync()).rejects.toThrow()
    await mirror.settle()
    expect((await mirror.status()).notes.live).toBe(2)
    expect((await mirror.status()).lastFullListing).toMatchObject({ seen: 2 })
  })

  it('has a full listing once a day with many integrations, and hints and endpoints are not delayed', async () => {
    const store = memoryMirror()
    await using world = await manyCustomers(1, { store })
    const [customer] = world.customers
    const { baseUrl } = world.service
    const fetch = refusing(POLLS, status, world.service.fetch)
    const connect = () => ({ baseUrl, apiKey: customer?.apiKey ?? '', fetch })
    const problems: unknown[] = []
    const onProblem = (problem: unknown) => void problems.push(problem)
    const mirrors = createMirrors({
      store: onClock(store, world.service.clock),
      connect,
      hooks: { onProblem },
      logger: SILENT,
    })
    const failing = { ...world, mirrors }
    await using port = await receiverOnPort(mirrors)
    customer?.write('stays')
    customer?.write('leaves')
    await mirrors.add('customer-0', port.optionsFor('customer-0'))
    await workFor(failing, 90)
    expect(problems).not.toEqual([])
    expect(await mirrors.get('customer-0')).toMatchObject({ state: 'active', endpoint: { status: 'active' } })

    await whileRunning(mirrors, async () => {
      await world.service.clock.advance('1m')
      customer?.write('hinted')
      await world.service.clock.advance('2s')
      expect(await world.titles('customer-0')).toContain('hinted')
    })

    port.outage = 503
    customer?.write('unheard')
    await workFor(failing, 3 * 60)
    port.outage = undefined
    world.service.owner.notes()[1]?.moveTo(world.service.owner.createChannel('elsewhere'))
    await workFor(failing, 26 * 60)
    expect(await world.titles('customer-0')).toEqual(['hinted', 'stays', 'unheard'])
    expect(await mirrors.get('customer-0')).toMatchObject({ endpoint: { status: 'active' } })
  })
})

describe.each([POLLS, FULL])('while all $name fail, run', (kind) => {
  it('reads the notes of events immediately, and lists with growing pauses', async () => {
    await using service = await createNotesService({ notes: 3 })
    let refused = 0
    let isOn = false
    function isRefused(url: URL): boolean {
      if (!isOn || !kind.isRefused(url)) return false
      refused += 1
      return true
    }
    const fetch = refusing({ ...kind, isRefused }, 400, service.fetch)
    const client = new NotesClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch, maxRetries: 0 })
    const mirror = createMirror({ client, store: memoryMirror({ clock: service.clock }), logger: SILENT })
    await mirror.sync()
    isOn = true
    await service.clock.advance('25h')
    await whileRunning(mirror, async () => {
      await service.clock.advance('2h')
      expect(refused).toBeGreaterThan(10)
      expect(refused).toBeLessThan(60)
      const note = service.owner.record({ title: 'new' }).end({ summary: false })
      const receiver = mirror.receiver({ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', logger: SILENT })
      await receiver.process(anEvent({ kind: 'note.ended', noteId: note.note_id, revision: 2 }))
      await service.clock.advance('2s')
      expect((await mirror.get(note.note_id))?.note.title).toBe('new')
    })
  })
})

describe.each([POLLS, FULL])('createMirrors, while $name get no further than page one', ({ name, isRefused }) => {
  it('reads the notes of events immediately, completes the other listing, and keeps the endpoint and what it has', async () => {
    const store = memoryMirror()
    await using world = await manyCustomers(1, { store })
    const [customer] = world.customers
    let isForgetting = false
    let isListing = false
    const fetch = async (request: Request) => {
      const url = new URL(request.url)
      const isPage = url.pathname === '/v1/notes' && isRefused(url)
      if (isForgetting && isPage && url.searchParams.has('cursor')) {
        isListing = true
        return new Response(null, { status: 410 })
      }
      return await world.service.fetch(request)
    }
    const connect = () => ({ baseUrl: world.service.baseUrl, apiKey: customer?.apiKey ?? '', fetch })
    const problems: unknown[] = []
    const onProblem = ({ error }: { readonly error: unknown }) => void problems.push(error)
    const mirrors = createMirrors({
      store: onClock(store, world.service.clock),
      connect,
      hooks: { onProblem },
      logger: SILENT,
    })
    const stalled = { ...world, mirrors }
    await using port = await receiverOnPort(mirrors)
    const notes = Array.from({ length: 150 }, (_, index) => customer?.write(`note ${index}`))
    await mirrors.add('customer-0', port.optionsFor('customer-0'))
    await workFor(stalled, 30)
    expect(await mirrors.of('customer-0').status()).toMatchObject({ notes: { live: 150 } })

    isForgetting = true
    port.outage = 503
    for (const note of notes) note?.edit({ title: 'edited' })
    await workFor(stalled, 30)
    port.outage = undefined
    notes[7]?.moveTo(world.service.owner.createChannel('elsewhere'))
    await workFor(stalled, 27 * 60)
    expect(isListing).toBe(true)
    expect(problems).toContainEqual(expect.objectContaining({ code: 'listing_stalled' }))
    expect(await mirrors.get('customer-0')).toMatchObject({ state: 'active', endpoint: { status: 'active' } })
    const { notes: counts, lastFullListing } = await mirrors.of('customer-0').status()
    // Only a full listing finds that one has left.
    expect(counts.live).toBe(name === FULL.name ? 150 : 149)
    expect(lastFullListing?.seen).toBe(name === FULL.name ? undefined : 149)
    await whileRunning(mirrors, async () => {
      await world.service.clock.advance('1m')
      customer?.write('hinted')
      await world.service.clock.advance('2s')
      expect(await world.titles('customer-0')).toContain('hinted')
    })

    isForgetting = false
    await workFor(stalled, 90)
    expect((await mirrors.of('customer-0').status()).notes).toMatchObject({ live: 150, dirty: 0 })
    expect(new Set(await world.titles('customer-0'))).toEqual(new Set(['edited', 'hinted']))
  })
})
