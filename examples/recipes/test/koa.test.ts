import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { app } from '../src/koa.ts'
import { expectDeliveriesToArrive, SECRET } from './deliveries.ts'

it('receives in Koa before a middleware that parses bodies', async () => {
  process.env['NOTES_SIGNING_SECRET'] = SECRET
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  await expectDeliveriesToArrive(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  server.close()
})
