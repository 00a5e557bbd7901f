import type { ContractVariants } from '@notewire/mock-server'
import { describe, expect, it } from 'vitest'
import { mirroredService } from '../fixtures/mirrored-service.ts'
import type { ProblemNotice } from './index.ts'

type Spoil = (note: Record<string, unknown>) => Record<string, unknown>

const withoutRevision: Spoil = (note) => ({ ...note, revision: `${note['revision']}` })
const withoutIdentifier: Spoil = ({ note_id: _, id: __, ...note }) => note

/** A mirror of a service that spoils the record of its first note while `spoil` is set. */
async function setUp(contract: ContractVariants = {}, notes = 5) {
  const problems: ProblemNotice[] = []
  const act: { spoil: Spoil | undefined } = { spoil: undefined }
  let first = ''
  const world = await mirroredService(
    { notes, contract },
    {},
    {
      maxRetries: 0,
      async fetch(request) {
        const response = await world.service.fetch(request)
        const { spoil } = act
        if (spoil === undefined || !response.ok || /transcript|summary/.test(request.url)) return response
        const body = await response.json()
        const spoiled = (note: Record<string, unknown>) => (note['note_id'] === first ? spoil(note) : note)
        return Response.json('notes' in body ? { ...body, notes: body.notes.map(spoiled) } : spoiled(body), response)
      },
    },
  )
  first = world.service.owner.notes()[0]?.note_id ?? ''
  const mirror = world.another({ hooks: { onProblem: (problem) => problems.push(problem) } })
  const ids = async () => (await Array.fromAsync(mirror.list())).map(({ note }) => note.note_id)
  /** Reads due notes until the longest pause between two reads is over. */
  const settle = async () => {
    for (let minute = 0; minute < 12; minute += 1) {
      await world.service.clock.advance('1m')
      await mirror.settle()
    }
  }
  return { ...world, act, first, ids, mirror, problems, settle }
}

const SERVICES: readonly (readonly [string, ContractVariants])[] = [
  ['single reads', {}],
  ['no single reads', { noteOperation: 'absent' }],
]

describe.each(SERVICES)('a listed record that cannot be used (row 39), with %s', (_what, contract) => {
  it.each([
    ['revision', withoutRevision],
    ['identifier', withoutIdentifier],
  ])('is not taken for a deletion by a full listing: its %s is missing', async (_field, spoil) => {
    await using world = await setUp(contract)
    const { act, first, ids, mirror, problems, service, settle } = world
    await mirror.sync({ fullListing: 'now' })
    expect((await mirror.status()).correctAsOf).not.toBeNull()
    act.spoil = spoil
    await service.clock.advance('1h')
    await mirror.sync({ fullListing: 'now' })
    await settle()
    expect(await ids()).toContain(first)
    expect(await ids()).toHaveLength(5)
    expect((await mirror.status()).correctAsOf).toBeNull()
    expect(problems[0]).toMatchObject({ error: { code: 'invalid_response' } })
    expect(problems.every(({ error }) => (error as { code?: unknown }).code === 'invalid_response')).toBe(true)
    act.spoil = undefined
    await settle()
    await mirror.sync({ fullListing: 'now' })
    expect((await mirror.status()).correctAsOf).not.toBeNull()
    expect(await ids()).toHaveLength(5)
  })

  it('is read again until it can be used: a change of the note is not lost', async () => {
    await using world = await setUp(contract)
    const { act, first, mirror, service, settle } = world
    await mirror.sync()
    act.spoil = withoutRevision
    service.owner.notes()[0]?.edit({ title: 'Edited' })
    await service.clock.advance('10m')
    await mirror.sync()
    expect((await mirror.get(first))?.note.title).not.toBe('Edited')
    act.spoil = undefined
    await settle()
    expect((await mirror.get(first))?.note.title).toBe('Edited')
  })

  it('without an identifier is listed again: a change of the note is not lost', async () => {
    await using world = await setUp(contract)
    const { act, first, mirror, service } = world
    await mirror.sync()
    act.spoil = withoutIdentifier
    service.owner.notes()[0]?.edit({ title: 'Edited' })
    await service.clock.advance('10m')
    await mirror.sync()
    act.spoil = undefined
    await service.clock.advance('10m')
    await mirror.sync()
    expect((await mirror.get(first))?.note.title).toBe('Edited')
  })

  it('without an identifier is left to daily full listings after a day', async () => {
    await using world = await setUp(contract)
    const { act, mirror, problems, service } = world
    await mirror.sync()
    act.spoil = withoutIdentifier
    service.owner.notes()[0]?.edit({ title: 'Edited' })
    for (let hour = 0; hour < 26; hour += 1) {
      await service.clock.advance('1h')
      await mirror.sync()
    }
    problems.length = 0
    await service.clock.advance('1h')
    await mirror.sync()
    expect(problems.filter(({ noteId }) => noteId === undefined)).toEqual([])
  })

  it('does not stop the backfill, and appears when it can be used', async () => {
    await using world = await setUp(contract)
    const { act, first, ids, mirror, settle } = world
    act.spoil = withoutRevision
    await mirror.sync()
    expect((await mirror.status()).isBackfilled).toBe(true)
    expect(await ids()).toHaveLength(4)
    act.spoil = undefined
    await settle()
    expect(await ids()).toContain(first)
  })

  it('does not keep a deleted note for good', async () => {
    await using world = await setUp(contract)
    const { act, first, ids, mirror, service, settle } = world
    await mirror.sync()
    act.spoil = withoutIdentifier
    const moved = service.owner.notes()[1]
    moved?.moveTo(service.owner.createChannel('elsewhere'))
    await service.clock.advance('1h')
    await mirror.sync({ fullListing: 'now' })
    await settle()
    expect(await ids()).toContain(first)
    act.spoil = undefined
    await service.clock.advance('1h')
    await mirror.sync({ fullListing: 'now' })
    await settle()
    expect(await ids()).toHaveLength(4)
    expect(await ids()).not.toContain(moved?.note_id)
  })
})
