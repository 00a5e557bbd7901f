import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMirrors, type Mirrors } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { createNotesService } from '@notewire/mock-server'
import { nodeHandler } from '@notewire/webhooks/node'
import { openPool, startPostgres } from 'notewire-test-servers'
import type { Pool } from 'pg'

/** A job queue that runs. */
export interface Jobs extends AsyncDisposable {
  /** Makes the job of an integration run now. */
  look(integration: string): Promise<unknown>
  /** Runs a sweep now. */
  sweep(): Promise<unknown>
}

/** Two customers of one service write notes. Expects the jobs to bring each note only to the mirror of its customer. */
export async function expectJobsToKeepUp(start: (mirrors: Mirrors, pool: Pool) => Promise<Jobs>): Promise<void> {
  await using cleanUp = new AsyncDisposableStack()
  const postgres = cleanUp.use(await startPostgres())
  const pool = openPool(postgres.url)
  cleanUp.defer(() => pool.end())
  const service = cleanUp.use(await createNotesService({ owners: ['acme', 'globex'], notes: 150 }))
  service.faults.inject({ delivery: 'endpoint.verification', fault: { kind: 'delayed', by: '1s' } })
  const { url: baseUrl } = await service.listen()
  const ownerOf = (name: string) => service.owners.find((owner) => owner.name === name)
  const secrets = new Map<string, string>()
  const mirrors = createMirrors({
    store: postgresMirror(pool),
    connect: (id) => ({ baseUrl, apiKey: ownerOf(id)?.apiKey ?? '' }),
  })
  const jobs = cleanUp.use(await start(mirrors, pool))

  const receiver = mirrors.receivers({ secretOf: (id) => secrets.get(id) ?? '' })
  const integrationOf = ({ url = '' }) => url.slice(1)
  const handle = nodeHandler(receiver, { integrationOf })
  let isSilent = false
  const server = createServer((request, response) => {
    // The hint is committed before the answer is sent. After that, its job must run.
    response.once('finish', () => {
      if (response.statusCode === 204 && !isSilent) void jobs.look(integrationOf(request))
    })
    handle(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp.defer(() => void server.close().closeAllConnections())

  const titles = async (id: string) => {
    const found: (string | null | undefined)[] = []
    for await (const { note, isSettled } of mirrors.of(id).list()) if (isSettled) found.push(note.title)
    return found
  }
  const write = (id: string, title: string) => ownerOf(id)?.record({ title }).end({ summary: false })

  for (const id of ['acme', 'globex']) {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${id}`
    await mirrors.add(id, { endpoint, saveSecret: (secret) => secrets.set(id, secret) })
    await jobs.look(id)
  }
  for (const id of ['acme', 'globex']) await eventually(async () => (await titles(id)).length === 150)
  await eventually(async () => service.deliveries.every(({ status }) => status === 'delivered'))

  // Now a job waits for the next poll, and each hint makes it run.
  for (let round = 0; round < 3; round += 1) {
    write('acme', `Round ${round}`)
    await eventually(async () => (await titles('acme')).includes(`Round ${round}`))
  }
  // Hints that arrive while a job runs are not lost.
  for (let note = 0; note < 40; note += 1) {
    write('acme', `Burst ${note}`)
    write('globex', `Another burst ${note}`)
    await sleep(note)
  }
  await eventually(async () => (await titles('acme')).length === 193)
  await eventually(async () => (await titles('globex')).length === 190)
  assert.equal(
    (await titles('globex')).some((title) => title?.startsWith('Burst')),
    false,
  )

  // If a process dies before it adds the job, the sweep finds the hint.
  isSilent = true
  write('globex', 'Swept')
  await eventually(async () => (await mirrors.status()).due === 1)
  await jobs.sweep()
  await eventually(async () => (await titles('globex')).includes('Swept'))

  // A removed integration is erased, and its jobs end.
  await mirrors.remove('acme')
  await jobs.look('acme')
  await eventually(async () => (await mirrors.list()).length === 1)
}

async function eventually(check: () => Promise<boolean>): Promise<void> {
  // This is less than the time between two polls, so that a poll cannot hide a lost hint.
  for (const giveUpAt = Date.now() + 120_000; !(await check()); await sleep(50)) {
    assert.ok(Date.now() < giveUpAt, 'it has not happened within 120 s')
  }
}
