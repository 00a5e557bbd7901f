import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MirroredService, mirroredService } from '../../fixtures/mirrored-service.ts'
import type { ContentChange } from '../index.ts'
import { sqliteMirror } from '../stores/sqlite/index.ts'

const TRANSCRIPT = 'GET /v1/notes/*/transcript'

/** A service whose events reach a mirror, and a consumer that starts from now. */
async function aStage(notes = 0) {
  const world = await mirroredService({ notes }, { store: sqliteMirror(':memory:') }, { maxRetries: 0 })
  const receiver = { isDown: false }
  await world.service.connect((secret) => {
    const { fetch } = world.mirror.receiver({ secret })
    return async (request) => (receiver.isDown ? new Response(null, { status: 503 }) : await fetch(request))
  })
  const contents: ContentChange[] = []
  const removals: string[] = []
  return {
    world,
    receiver,
    contents,
    removals,
    titles: () => [...new Set(contents.map(({ note }) => note.title))],
    async consume() {
      for (let nextAt: number | null = 0; nextAt !== null && nextAt <= world.service.clock.now(); ) {
        ;({ nextAt } = await world.mirror.consumeDue({
          name: 'index',
          from: 'now',
          apply(changes) {
            for (const change of changes) {
              if (change.kind === 'content') contents.push(change)
              else removals.push(change.noteId)
            }
          },
        }))
      }
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

/** Reads every note that an event or a listing has made due, however often that takes. */
async function settle({ service, mirror }: MirroredService): Promise<void> {
  await service.settled()
  for (let round = 0; round < 20; round += 1) {
    await mirror.sync()
    const { notes } = await mirror.status()
    if (notes.dirty + notes.unsettled === 0) return
    await service.clock.advance('2m')
  }
  throw new Error('the mirror does not settle')
}

describe('a consumer that starts from now', () => {
  it('gets a meeting that ends later, with its transcript and its recording session, and no earlier note', async () => {
    await using stage = await aStage(5)
    const { world, contents } = stage
    await settle(world)
    await stage.consume()
    expect(contents).toEqual([])
    const recording = world.service.owner.record({ title: 'Stand-up' })
    recording.end()
    await settle(world)
    await stage.consume()
    expect(stage.titles()).toEqual(['Stand-up'])
    const last = contents.at(-1)
    expect(last?.transcript?.text).toMatch(/\S/)
    expect(last?.parts).toContain('transcript')
    expect(last?.recordingSessionId).toBe(recording.recording_session_id)
    expect(last?.transcriptVersion).toBeGreaterThan(0)
  })

  it('is stored in its first round, although the mirror is empty', async () => {
    await using stage = await aStage()
    await settle(stage.world)
    await stage.consume()
    stage.world.service.owner.record({ title: 'First of all' }).end()
    await settle(stage.world)
    await stage.consume()
    expect(stage.titles()).toEqual(['First of all'])
  })

  it('before the first listing, gets nothing of what it brings, and what changes after it', async () => {
    await using stage = await aStage(5)
    const { world } = stage
    await stage.consume()
    await settle(world)
    await stage.consume()
    expect(stage.contents).toEqual([])
    world.service.owner.record({ title: 'Later' }).end()
    await settle(world)
    await stage.consume()
    expect(stage.titles()).toEqual(['Later'])
  })

  it('gets no transcript that the first listing has still to read', async () => {
    await using stage = await aStage(3)
    const { world } = stage
    const fault = world.service.faults.inject({ request: TRANSCRIPT, fault: { kind: 'status', status: 503 } })
    await world.mirror.sync()
    await stage.consume()
    fault.remove()
    await settle(world)
    await stage.consume()
    expect(stage.contents).toEqual([])
  })

  it('gets a meeting that was listed while it was recorded, when it ends', async () => {
    await using stage = await aStage()
    const { world } = stage
    const recording = world.service.owner.record({ title: 'Long meeting' })
    await settle(world).catch(() => undefined)
    await stage.consume()
    expect(stage.contents).toEqual([])
    recording.end()
    await settle(world)
    await stage.consume()
    expect(stage.titles()).toEqual(['Long meeting'])
    expect(stage.contents.at(-1)?.transcript).not.toBe(null)
  })

  it('gets a title edit of an earlier note, and a removal', async () => {
    await using stage = await aStage()
    const { world } = stage
    const [edited, deleted] = ['to be edited', 'to be deleted'].map((title) =>
      world.service.owner.record({ title }).end(),
    )
    await settle(world)
    await stage.consume()
    edited?.edit({ title: 'Edited' })
    deleted?.delete()
    await settle(world)
    await stage.consume()
    expect(stage.titles()).toEqual(['Edited'])
    expect(stage.contents.at(-1)?.parts).toEqual(['title'])
    expect(stage.removals).toHaveLength(1)
  })

  it('has the same transcript version if a change is sent again, and a higher one for a new transcript', async () => {
    await using stage = await aStage()
    const { world, contents } = stage
    await settle(world)
    await stage.consume()
    const note = world.service.owner.record({ title: 'Twice' }).end()
    await settle(world)
    await stage.consume()
    note.edit({ title: 'Renamed' })
    await settle(world)
    await stage.consume()
    const [first, renamed] = [contents.findLast(({ note }) => note.title === 'Twice'), contents.at(-1)]
    expect(renamed?.note.title).toBe('Renamed')
    expect(renamed?.transcriptVersion).toBe(first?.transcriptVersion)
    note.record().end()
    await settle(world)
    await stage.consume()
    expect(contents.at(-1)?.transcriptVersion).toBeGreaterThan(renamed?.transcriptVersion ?? Infinity)
  })

  it('gets an edit that the first listing has found, if its event arrives after the consumer has skipped the note', async () => {
    await using stage = await aStage()
    const { world, contents } = stage
    const note = world.service.owner.record({ title: 'Draft' }).end()
    await world.service.clock.advance('5m')
    await stage.consume()
    // The service sends the event of an edit some seconds later.
    note.edit({ title: 'Edited' })
    await world.mirror.sync()
    await stage.consume()
    expect(contents).toEqual([])
    await settle(world)
    await world.service.clock.advance('1h')
    await stage.consume()
    expect(stage.titles()).toEqual(['Edited'])
  })

  it('gets a meeting that the first listing has found, if its events arrive late', async () => {
    await using stage = await aStage(2)
    const { world, contents, receiver } = stage
    await stage.consume()
    receiver.isDown = true
    world.service.owner.record({ title: 'Retried' }).end()
    await world.service.clock.advance('20s')
    await world.mirror.sync()
    await stage.consume()
    expect(contents).toEqual([])
    receiver.isDown = false
    await world.service.clock.advance('1h')
    await settle(world)
    await stage.consume()
    expect(stage.titles()).toEqual(['Retried'])
    expect(contents.at(-1)?.transcript?.text).toMatch(/\S/)
  })

  it('gets every note that changes after it started, in any order of listings, edits and outages', async () => {
    const step = fc.constantFrom(
      'record',
      'record and end',
      'end',
      'edit',
      'sync',
      'outage',
      'recovery',
      'consume',
      'wait',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.array(step, { maxLength: 12 }), async (before, after) => {
        await using stage = await aStage(2)
        const { world } = stage
        const { service } = world
        const running: ReturnType<typeof service.owner.record>[] = []
        const ended: ReturnType<(typeof running)[number]['end']>[] = []
        let fault: { remove(): void } | undefined
        const take: Readonly<Record<string, () => unknown>> = {
          record: () => running.push(service.owner.record()),
          'record and end': () => ended.push(service.owner.record().end()),
          end: () => ended.push(...running.splice(0, 1).map((recording) => recording.end())),
          edit: () => ended[0]?.edit({ title: `Edited at ${service.clock.now()}` }),
          sync: () => world.mirror.sync().catch(() => undefined),
          outage: () => {
            fault ??= service.faults.inject({ request: TRANSCRIPT, fault: { kind: 'status', status: 503 } })
          },
          recovery: () => {
            fault?.remove()
            fault = undefined
          },
          consume: () => stage.consume(),
          wait: () => service.clock.advance('5m'),
        }
        for (const name of before) if (name !== 'consume') await take[name]?.()
        const hasListed = (await world.mirror.status()).isBackfilled
        await stage.consume()
        const revisions = new Map(service.owner.notes().map(({ note_id, revision }) => [note_id, revision]))
        for (const name of after) await take[name]?.()
        take['recovery']?.()
        for (const recording of running) ended.push(recording.end())
        await settle(world)
        await service.clock.advance('1h')
        await stage.consume()
        const delivered = new Map(stage.contents.map((change) => [change.noteId, change]))
        for (const { note_id: noteId, revision } of service.owner.notes()) {
          const isChanged = revision !== revisions.get(noteId)
          if (isChanged) expect(delivered.get(noteId)?.note.revision, `${noteId} was not sent`).toBe(revision)
          else if (hasListed && delivered.has(noteId)) expect(delivered.get(noteId)?.recordingSessionId).not.toBe(null)
        }
      }),
      { numRuns: 40 },
    )
  })
})
