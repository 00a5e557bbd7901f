import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { startRedis } from 'notewire-test-servers'
import { expect, it, onTestFinished } from 'vitest'
import { storeChecks } from '../../testing/store-checks.ts'
import { redisStore } from './redis-store.ts'

const PAGE = join(import.meta.dirname, '../../../../../docs/receiving/stores.md')

it('works with the permissions that docs/receiving/stores.md lists', async () => {
  const [, rules = ''] = /^ACL SETUSER notewire on >… (.+)$/m.exec(readFileSync(PAGE, 'utf8')) ?? []
  expect(rules).toContain('+evalsha')
  const server = await startRedis()
  onTestFinished(() => server.stop())
  const admin = new Redis(server.port)
  onTestFinished(() => admin.disconnect())
  // `ioredis` itself asks for the state of the server.
  await admin.call('ACL', 'SETUSER', 'notewire', 'on', '>password', ...rules.split(' '), '+info')
  const client = new Redis(server.port, { username: 'notewire', password: 'password' })
  onTestFinished(() => client.disconnect())
  for (const { run } of storeChecks) await run(redisStore(client))
})
