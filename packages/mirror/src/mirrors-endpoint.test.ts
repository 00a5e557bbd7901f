import { describe, expect, it, vi } from 'vitest'
import { manyCustomers, receiverOnPort, workFor } from '../fixtures/many-customers.ts'
import type { SecretToSave } from './index.ts'

async function customerWithReceiver() {
  const world = await manyCustomers(1)
  const port = await receiverOnPort(world.mirrors)
  const endpoints = async () => (await world.mirrors.list()).map(({ endpoint }) => endpoint?.status)
  const registered = () => world.asked().filter((request) => request === 'POST /v1/webhook-endpoints').length
  return {
    world,
    port,
    endpoints,
    registered,
    async [Symbol.asyncDispose]() {
      await port[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

describe('the endpoint of an integration', () => {
  it('is registered once, even if the integration is added several times', async () => {
    await using stage = await customerWithReceiver()
    const { world, port } = stage
    for (let time = 0; time < 3; time += 1) await world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    const secret = port.secrets.get('customer-0')
    await workFor(world, 5)
    expect(await stage.endpoints()).toEqual(['active'])
    expect(stage.registered()).toBe(1)
    expect(world.asked().filter((request) => request.includes('rotate'))).toEqual([])
    expect(port.secrets.get('customer-0')).toBe(secret)
  })

  it.each(['before', 'after'])(
    'whose secret was lost %s it was saved is found, and gets another secret',
    async (when) => {
      await using stage = await customerWithReceiver()
      const { world, port } = stage
      const { endpoint, saveSecret } = port.optionsFor('customer-0')
      const crash = (secret: string) => {
        if (when === 'after') saveSecret(secret)
        throw new Error('the process dies')
      }
      await expect(world.mirrors.add('customer-0', { endpoint, saveSecret: crash })).rejects.toThrow('the process dies')
      await world.mirrors.add('customer-0', { endpoint, saveSecret })
      await workFor(world, 5)
      expect(stage.registered()).toBe(1)
      expect(await stage.endpoints()).toEqual(['active'])
      world.customers[0]?.write('heard')
      await workFor(world, 1)
      expect(port.answers.at(-1)?.status).toBe(204)
      expect(await world.titles('customer-0')).toEqual(['heard'])
    },
  )

  it('gets another secret from add if a late saveSecret has overwritten the newer secret', async () => {
    await using stage = await customerWithReceiver()
    const { world, port } = stage
    const { clock } = world.service
    const { endpoint, saveSecret } = port.optionsFor('customer-0')
    const saves: SecretToSave[] = []
    const lateWrite = Promise.withResolvers<void>()
    const slow = async (secret: string, save: SecretToSave) => {
      saves.push(save)
      await lateWrite.promise
      saveSecret(secret)
    }
    const rejected = expect(world.mirrors.add('customer-0', { endpoint, saveSecret: slow })).rejects.toMatchObject({
      code: 'callback_timed_out',
    })
    await vi.waitFor(() => expect(saves).toHaveLength(1))
    expect(saves[0]?.signal.aborted).toBe(false)
    await clock.advance('10s')
    await rejected
    expect(saves[0]?.signal.aborted).toBe(true)

    const record = (secret: string, save: SecretToSave) => {
      saves.push(save)
      saveSecret(secret)
    }
    await world.mirrors.add('customer-0', { endpoint, saveSecret: record })
    expect(saves[1]?.generation).toBeGreaterThan(saves[0]?.generation ?? 0)
    await workFor(world, 5)
    expect(await stage.endpoints()).toEqual(['active'])
    lateWrite.resolve()
    await vi.waitFor(() => expect(port.secrets.get('customer-0')).toBeDefined())

    // For a day, the service signs with the overwriting secret, too.
    await workFor(world, 25 * 60)
    world.customers[0]?.write('refused')
    await workFor(world, 2 * 60)
    expect(port.answers.at(-1)?.status).toBe(401)
    expect(await stage.endpoints()).toEqual(['silent'])
    await world.mirrors.add('customer-0', { endpoint, saveSecret: record })
    expect(saves[2]?.generation).toBeGreaterThan(saves[1]?.generation ?? 0)
    await workFor(world, 5)
    expect(await stage.endpoints()).toEqual(['active'])
    world.customers[0]?.write('heard')
    await workFor(world, 1)
    expect(port.answers.at(-1)?.status).toBe(204)
    expect(await world.titles('customer-0')).toEqual(['heard', 'refused'])
  })

  it('that is registered again after the integration was removed has a secret of a higher generation', async () => {
    await using stage = await customerWithReceiver()
    const { world, port } = stage
    const { endpoint } = port.optionsFor('customer-0')
    const generations: number[] = []
    const saveSecret = (_: string, { generation }: SecretToSave) => generations.push(generation)
    await world.mirrors.add('customer-0', { endpoint, saveSecret })
    await workFor(world, 60)
    await world.mirrors.remove('customer-0')
    await workFor(world, 5)
    expect(await world.mirrors.list()).toEqual([])
    await world.mirrors.add('customer-0', { endpoint, saveSecret })
    expect(generations).toHaveLength(2)
    expect(generations[1]).toBeGreaterThan(generations[0] ?? 0)
  })

  it('that was registered without an answer is found', async () => {
    await using stage = await customerWithReceiver()
    const { world, port } = stage
    const fault = { kind: 'dropped', lost: 'answer' } as const
    const lost = world.service.faults.inject({ request: 'POST /v1/webhook-endpoints', fault })
    await expect(world.mirrors.add('customer-0', port.optionsFor('customer-0'))).rejects.toMatchObject({
      code: 'network_error',
    })
    lost.remove()
    await world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    await workFor(world, 5)
    expect(stage.registered()).toBe(1)
    expect(await stage.endpoints()).toEqual(['active'])
  })

  it('moves with its URL, and keeps its secret', async () => {
    await using stage = await customerWithReceiver()
    const { world, port } = stage
    const { endpoint, saveSecret } = port.optionsFor('customer-0')
    await world.mirrors.add('customer-0', { endpoint: endpoint.replace('/webhooks', '/old'), saveSecret })
    const secret = port.secrets.get('customer-0')
    await world.mirrors.add('customer-0', { endpoint, saveSecret })
    await workFor(world, 5)
    expect(stage.registered()).toBe(1)
    expect(await stage.endpoints()).toEqual(['active'])
    expect(port.secrets.get('customer-0')).toBe(secret)
  })

  it('that our outage disabled becomes active again when our receiver answers, and no change is missed', async () => {
    await using stage = await customerWithReceiver()
    const { world, port } = stage
    await world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    await workFor(world, 10)
    expect(await stage.endpoints()).toEqual(['active'])
    port.outage = 503
    for (let index = 0; index < 6; index += 1) world.customers[0]?.write(`note ${index}`)
    await workFor(world, 6 * 60)
    expect(await stage.endpoints()).toEqual(['pending_verification'])
    expect(await world.titles('customer-0')).toHaveLength(6)
    port.outage = undefined
    await workFor(world, 61)
    expect(await stage.endpoints()).toEqual(['active'])
    world.customers[0]?.write('after')
    await workFor(world, 1)
    expect(await world.titles('customer-0')).toContain('after')
  })

  it('becomes active again after an outage of the service of 20 hours', async () => {
    await using stage = await customerWithReceiver()
    const { world, port } = stage
    await world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    await workFor(world, 10)
    const outage = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 503 } })
    port.outage = 500
    for (let index = 0; index < 6; index += 1) world.customers[0]?.write(`note ${index}`)
    await workFor(world, 20 * 60)
    outage.remove()
    port.outage = undefined
    await workFor(world, 3 * 60)
    expect(await stage.endpoints()).toEqual(['active'])
    expect(await world.titles('customer-0')).toHaveLength(6)
  })

  it('of each integration becomes active again in a day with an outage of our receiver of an hour, and of the service of 20', async () => {
    await using world = await manyCustomers(5)
    await using port = await receiverOnPort(world.mirrors)
    const begin = world.service.clock.now()
    const writeAll = (title: string) => {
      for (const { write } of world.customers) for (let times = 0; times < 6; times += 1) write(`${title} ${times}`)
    }
    for (const { integration } of world.customers) await world.mirrors.add(integration, port.optionsFor(integration))
    await workFor(world, 10)
    port.outage = 503
    writeAll('while our receiver is down')
    await workFor(world, 60)
    port.outage = undefined
    await workFor(world, 30)
    const outage = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 503 } })
    port.outage = 500
    writeAll('while the service is down')
    await workFor(world, 20 * 60)
    outage.remove()
    port.outage = undefined
    await workFor(world, 2 * 60 + 20)
    expect(world.service.clock.now() - begin).toBeGreaterThanOrEqual(24 * 3_600_000)
    const listed = await world.mirrors.list()
    expect(listed.map(({ state, endpoint }) => [state, endpoint?.status])).toEqual(
      listed.map(() => ['active', 'active']),
    )
    writeAll('afterwards')
    await workFor(world, 1)
    for (const { integration } of world.customers) expect(await world.titles(integration)).toHaveLength(18)
  })

  it('has the status forbidden if the key lacks webhooks:manage, and the integration polls', async () => {
    await using stage = await customerWithReceiver()
    const { world, port } = stage
    const channel = world.service.owner.createChannel('team')
    const [customer] = world.customers
    const scopes = ['notes:read', 'transcripts:read', 'summaries:read'] as const
    if (customer !== undefined)
      customer.apiKey = world.service.owner.createIntegration({ channels: [channel] }).issueKey({ scopes }).key
    const added = await world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    expect(added).toMatchObject({ state: 'active', endpoint: { status: 'forbidden', id: null } })
    world.service.owner.record({ title: 'polled', channel }).end()
    await workFor(world, 10)
    expect(await world.titles('customer-0')).toEqual(['polled'])
  })

  it('has the status missing if it was deleted, and add creates another', async () => {
    await using stage = await customerWithReceiver()
    const { world, port } = stage
    const { endpoint } = await world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    await workFor(world, 5)
    const headers = { authorization: `Bearer ${world.customers[0]?.apiKey}` }
    const url = `${world.service.baseUrl}/v1/webhook-endpoints/${endpoint?.id}`
    await world.service.fetch(new Request(url, { method: 'DELETE', headers }))
    await workFor(world, 25 * 60)
    expect(await stage.endpoints()).toEqual(['missing'])
    await world.mirrors.add('customer-0', port.optionsFor('customer-0'))
    await workFor(world, 5)
    expect(await stage.endpoints()).toEqual(['active'])
  })

  it('needs a function that saves the secret', async () => {
    await using stage = await customerWithReceiver()
    await expect(stage.world.mirrors.add('customer-0', { endpoint: 'https://app.example' })).rejects.toThrow(
      'saveSecret',
    )
    expect(await stage.world.mirrors.list()).toEqual([])
  })
})
