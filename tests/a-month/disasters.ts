import { setTimeout as sleep } from 'node:timers/promises'
import type { FaultRule } from '@notewire/mock-server'
import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import type { Account } from './account.ts'
import type { Disaster, DisasterKind } from './plan.ts'
import type { World } from './world.ts'

/** Ends a disaster. */
type End = () => void | Promise<void>

/** Begins a disaster. */
export async function begin(disaster: Disaster, world: World): Promise<End> {
  const account = world.accountOf(disaster.customer)
  return (await BEGINNINGS[disaster.kind]({ ...world, account, disaster })) ?? (() => undefined)
}

interface Scene extends World {
  readonly account: Account
  readonly disaster: Disaster
}

const EVERY_REQUEST = '* /v1/**'

/** After this time, the leases of a killed process have expired. */
const LEASES_MS = 61_000

const BEGINNINGS: Readonly<Record<DisasterKind, (scene: Scene) => Promise<End | undefined> | End | undefined>> = {
  'the service responds with 503': (scene) =>
    fault(scene, { request: EVERY_REQUEST, fault: { kind: 'status', status: 503 } }),
  'the service fails sometimes': (scene) =>
    fault(scene, { request: EVERY_REQUEST, rate: 0.3, fault: { kind: 'status', status: 500 } }),
  'the service limits the rate': (scene) =>
    fault(scene, { request: EVERY_REQUEST, rate: 0.7, fault: { kind: 'status', status: 429, retryAfter: 60 } }),
  'the service hangs': ({ network }) => {
    network.isHanging = true
    return () => {
      network.isHanging = false
    }
  },
  'responses break': (scene) => {
    const kinds = ['truncated', 'malformed', 'dropped', 'empty_page', 'short_page'] as const
    const ends = kinds.map((kind) =>
      fault(scene, {
        request: kind.endsWith('page') ? 'GET /v1/notes' : EVERY_REQUEST,
        rate: 0.08,
        fault: kind === 'dropped' ? { kind, lost: 'answer' } : { kind },
      }),
    )
    return () => {
      for (const end of ends) end()
    }
  },
  'the application is unreachable': ({ network }) => {
    network.isCut = true
    return () => {
      network.isCut = false
    }
  },
  'events are late': (scene) => fault(scene, { delivery: '*', rate: 0.5, fault: { kind: 'delayed', by: '3h' } }),
  'events of one kind never arrive': (scene) => {
    const kind = NOTE_EVENT_KINDS[scene.disaster.draw % NOTE_EVENT_KINDS.length] ?? 'note.deleted'
    return fault(scene, { delivery: kind, fault: { kind: 'lost' } })
  },
  'events arrive twice, in any order': ({ service }) => {
    service.disorder = { duplicated: 0.4, reordered: 0.4, failing: 0.3 }
    return () => {
      service.disorder = {}
    }
  },
  'events are damaged': (scene) => {
    const ends = [
      fault(scene, { delivery: '*', rate: 0.2, fault: { kind: 'corrupted' } }),
      fault(scene, { delivery: '*', rate: 0.2, fault: { kind: 'skewed', seconds: -301 } }),
    ]
    return () => {
      for (const end of ends) end()
    }
  },
  'events are replayed': replay,
  async 'a process is killed'({ crew, operator, service, disaster }) {
    // In the middle of whatever it does.
    const work = operator.give({ act: 'work' })
    await Promise.all([service.clock.advance('1m'), work, sleep(disaster.draw % 60).then(() => crew.killOne())])
    await service.clock.advance(LEASES_MS)
    return () => crew.hire()
  },
  async 'a secret is rotated'(scene) {
    const { operator, disaster } = scene
    await operator.order({ act: 'rotate secret', customer: disaster.customer })
    // The service still signs with the old secret for 24 hours, some of the events only with it.
    return fault(scene, { delivery: '*', rate: 0.3, fault: { kind: 'old_secret' } })
  },
  async 'a key is replaced'(scene) {
    const old = scene.account.issueKey()
    await giveKey(scene)
    return () => old.revoke()
  },
  'a key is revoked'(scene) {
    const { account } = scene
    account.revokeKey()
    account.issueKey()
    return () => giveKey(scene)
  },
  async 'a customer leaves'({ connected, operator, quiet, account: { customer } }) {
    if (!connected.delete(customer)) return
    quiet.works = 0
    await operator.order({ act: 'disconnect', customer })
    return async () => {
      connected.add(customer)
      await operator.order({ act: 'connect', customer })
    }
  },
  async 'the database of the mirror is restored'({ databases, crew, operator, quiet, service }) {
    const restore = await databases.backUp()
    return async () => {
      quiet.works = 0
      await crew.killAll()
      await service.clock.advance(LEASES_MS)
      await restore()
      await crew.hire()
      await operator.order({ act: 'correct after restoring' })
    }
  },
}

function fault({ service }: Scene, rule: FaultRule): () => void {
  const injected = service.faults.inject(rule)
  return () => injected.remove()
}

/** A customer that has left tells no key. */
async function giveKey({ connected, operator, account: { customer } }: Scene): Promise<void> {
  if (connected.has(customer)) await operator.order({ act: 'replace key', customer })
}

/** Sends some of the latest events again, as a person does in the console. */
async function replay({ service, account: { owner }, disaster: { draw } }: Scene): Promise<undefined> {
  const recent = service.deliveries.filter(({ owner_id }) => owner_id === owner.owner_id).slice(-60)
  for (const { delivery_id } of recent.filter((_, index) => (draw >> (index % 30)) % 2 === 1)) {
    const url = `${service.baseUrl}/control/deliveries/${delivery_id}/replay`
    await fetch(url, { method: 'POST', headers: { origin: service.baseUrl } })
  }
}
