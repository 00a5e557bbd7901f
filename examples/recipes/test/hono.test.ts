import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { serve } from '@hono/node-server'
import { app } from '../src/hono.ts'
import { expectDeliveriesToArrive, SECRET } from './deliveries.ts'

it('receives in Hono before a middleware that parses bodies', async () => {
  process.env['NOTES_SIGNING_SECRET'] = SECRET
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  await expectDeliveriesToArrive(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  server.close()
})
