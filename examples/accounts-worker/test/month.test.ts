import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createNotesService } from '@notewire/mock-server'
import type { Counts } from './counted-worker.ts'
import { deploy } from './deployment.ts'

// Measures the numbers in `docs/mirror/applications.md`.
it('needs the numbers of requests, calls and rows in the documentation', async () => {
  await using cleanUp = new AsyncDisposableStack()
  const persisted = await mkdtemp(join(tmpdir(), 'notes-accounts-'))
  cleanUp.defer(() => rm(persisted, { recursive: true }))
  const service = cleanUp.use(await createNotesService({ notes: 20 }))
  service.faults.inject({ delivery: 'endpoint.verification', fault: { kind: 'delayed', by: '1s' } })
  const { url: notesUrl } = await service.listen()
  const worker = cleanUp.use(await deploy(persisted, { NOTES_BASE_URL: notesUrl }, 'test/counted-worker.ts'))
  const body = new URLSearchParams({ apiKey: service.apiKey })
  await fetch(worker.url, { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' }, body, redirect: 'manual' })
  const [{ id } = { id: '' }] = await worker.registry('SELECT id FROM accounts')
  let counted = 0
  const measure = async (minutes: number) => {
    const response = await fetch(new URL(`/measure?id=${id}&minutes=${minutes}`, worker.url))
    assert.equal(response.status, 200, await response.clone().text())
    const requests = service.requests.length - counted
    counted = service.requests.length
    return { requests, ...((await response.json()) as Counts) }
  }
  const delivered = async (count: number) => {
    const isDelivered = () => service.deliveries.filter(({ status }) => status === 'delivered').length === count
    for (const giveUpAt = Date.now() + 120_000; !isDelivered(); await sleep(100)) assert.ok(Date.now() < giveUpAt)
    // The alarm reads the note of the last event.
    await sleep(5_000)
  }
  await delivered(1)
  console.log('connecting an account of 20 notes:', await measure(0))

  const note = service.owner.record({ title: 'Stand-up' }).end()
  note.edit({ title: 'Stand-up, Monday' })
  await delivered(4)
  note.edit({ content: 'Agenda' })
  await delivered(5)
  const events = await measure(0)
  console.log('4 events of a note:', events)
  assert.equal(events.calls, 4)

  for (let hour = 0; hour < 5; hour += 1) await measure(61)
  const poll = await measure(61)
  console.log('a quiet poll:', poll)
  assert.equal(poll.requests, 1)
  assert.equal(poll.alarms, 1)
})
