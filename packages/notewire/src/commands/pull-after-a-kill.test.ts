import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cleanUp } from '../../fixtures/leftovers.ts'
import { isWhole, notesIn, notesOf } from '../../fixtures/local-copy.ts'
import { prepared, receivedRequests, silentFrom } from '../../fixtures/prepared.ts'
import { runNotewire, startNotewire } from '../../fixtures/run-notewire.ts'
import { enlarge, mounts, tinyDisk } from '../../fixtures/tiny-disk.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterAll(cleanUp)

// A killed run leaves a lease of the copy, which expires after 20 to 30 s. The tests wait at the same time.
describe.concurrent('a pull after one that was killed or failed', () => {
  it.each([
    ['listing', 2],
    ['reading', 160],
  ])('waits for the lease of a run that was killed while %s, and prints this', async (_doing, requests) => {
    const { service, env, cwd, database } = await prepared(150)
    const silence = silentFrom(service, requests)
    const running = startNotewire(['pull'], { cwd, env })
    await receivedRequests(service, requests)
    running.child.kill('SIGKILL')
    await running.ended
    silence.remove()
    const { exitCode, stderr } = await runNotewire(['pull'], { cwd, env })
    const words = /Another run is working on this copy now, or was killed/
    expect([exitCode, unwrapped(stderr)]).toEqual([0, expect.stringMatching(words)])
    expect(service.requests.length).toBeLessThan(302 + 60)
    expect(isWhole(database)).toBe(true)
    expect(await notesIn(database)).toEqual(await notesOf(service))
  })

  it('completes the copy after a run that reached its file size limit', async () => {
    const { service, env, cwd, database } = await prepared(300)
    const under = ['bash', '-c', 'ulimit -f 500; exec "$@"', 'bash']
    const { exitCode, stderr } = await runNotewire(['pull'], { cwd, env, under })
    expect([exitCode, unwrapped(stderr)]).toEqual([1, expect.stringMatching(/the disk refused|disk is full/)])
    expect(stderr).not.toContain('defect of notewire')
    expect(isWhole(database)).toBe(true)
    expect((await runNotewire(['pull'], { cwd, env })).exitCode).toBe(0)
    expect(await notesIn(database)).toEqual(await notesOf(service))
  })

  it('completes the copy after a run whose disk was full', mounts(), async () => {
    const { service, env, cwd } = await prepared(400)
    const disk = await tinyDisk(join(cwd, 'disk'), '1200k')
    const args = ['pull', '--database', join(disk, 'notes.db')]
    const { exitCode, stderr } = await runNotewire(args, { cwd, env })
    expect([exitCode, unwrapped(stderr)]).toEqual([1, expect.stringContaining('the disk is full')])
    expect(stderr).not.toContain('defect of notewire')
    expect(isWhole(join(disk, 'notes.db'))).toBe(true)
    enlarge(disk, '64m')
    expect((await runNotewire(args, { cwd, env })).exitCode).toBe(0)
    expect(await notesIn(join(disk, 'notes.db'))).toEqual(await notesOf(service))
  })
})
