import { queryObjects } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { copyIn, mirroredService, truthOf } from '../fixtures/mirrored-service.ts'
import { whileRunning } from '../fixtures/while-running.ts'
import type { ProblemNotice } from './index.ts'

describe('a mirror that runs', () => {
  it('copies everything immediately, and resolves when its signal fires', async () => {
    await using world = await mirroredService({ notes: 20 })
    await whileRunning(world.mirror, () => world.service.clock.advance('1s'))
    expect(await copyIn(world.mirror)).toEqual(await truthOf(world.client))
  })

  it('lists the notes in its first work, although time passes between two readings of the clock', async () => {
    await using world = await mirroredService({ notes: 3 })
    const { clock } = world.service
    let readings = 0
    const ticking = { now: () => clock.now() + readings++, sleep: clock.sleep.bind(clock) }
    await world.another({ clock: ticking }).work()
    expect(world.asked()).toContain('GET /v1/notes')
  })

  it('polls every few minutes', async () => {
    await using world = await mirroredService({ notes: 20 })
    await whileRunning(world.mirror, async () => {
      await world.service.clock.advance('1s')
      const before = world.asked().length
      await world.service.clock.advance('1h')
      const polls = world.asked().length - before
      expect(polls).toBeGreaterThanOrEqual(10)
      expect(polls).toBeLessThanOrEqual(15)
    })
  })

  it('reads the note of an event immediately, long before the next poll', async () => {
    await using world = await mirroredService({ notes: 3 })
    await world.service.connect((secret) => world.mirror.receiver({ secret }).fetch)
    await whileRunning(world.mirror, async () => {
      await world.service.clock.advance('1s')
      const note = world.service.owner.record({ title: 'Retro' }).end()
      await world.service.clock.advance('2s')
      expect(await world.mirror.get(note.note_id)).toMatchObject({ note: { title: 'Retro' } })
    })
  })

  it('does not use more memory after hours without an event', async () => {
    await using world = await mirroredService({ notes: 3 }, { pollEveryMs: 86_400_000 })
    const countWaiting = () => queryObjects(AbortController, { format: 'count' })
    await whileRunning(world.mirror, async () => {
      await world.service.clock.advance('1s')
      const before = countWaiting()
      await world.service.clock.advance('1h')
      expect(countWaiting()).toBeLessThan(before + 20)
    })
  })

  it('lists all notes once a day', async () => {
    await using world = await mirroredService({ notes: 3 })
    await whileRunning(world.mirror, async () => {
      await world.service.clock.advance('1s')
      const [note] = world.service.owner.notes()
      note?.moveTo(world.service.owner.createChannel('elsewhere'))
      await world.service.clock.advance('23h')
      expect((await world.mirror.status()).notes.live).toBe(3)
      await world.service.clock.advance('2h')
      expect((await world.mirror.status()).notes).toMatchObject({ live: 2, gone: 1 })
    })
  })

  it('backs off while the service is down, reports it, and catches up', async () => {
    const problems: ProblemNotice[] = []
    const hooks = { onProblem: (problem: ProblemNotice) => problems.push(problem) }
    await using world = await mirroredService({ notes: 20 }, { hooks }, { maxRetries: 0 })
    const outage = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 503 } })
    await whileRunning(world.mirror, async () => {
      await world.service.clock.advance('30m')
      expect(problems.length).toBeGreaterThan(5)
      expect(problems.length).toBeLessThan(30)
      expect(problems[0]?.error).toMatchObject({ code: 'server_error' })
      outage.remove()
      await world.service.clock.advance('10m')
    })
    expect(await copyIn(world.mirror)).toEqual(await truthOf(world.client))
  })

  it.each([401, 403])(
    'tries a key that the service refuses with %i again, once an hour at most, and catches up',
    async (status) => {
      await using world = await mirroredService({ notes: 3 })
      const outage = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status } })
      await whileRunning(world.mirror, async () => {
        await world.service.clock.advance('6h')
        const before = world.asked().length
        await world.service.clock.advance('12h')
        expect(world.asked().length - before).toBeLessThanOrEqual(18)
        outage.remove()
        await world.service.clock.advance('90m')
      })
      expect(await copyIn(world.mirror)).toEqual(await truthOf(world.client))
    },
  )
})
