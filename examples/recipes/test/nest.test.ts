import { it } from 'node:test'
import { createApplication } from '../src/nest.ts'
import { expectDeliveriesToArrive, SECRET } from './deliveries.ts'

it('receives in Nest before its body parsers', async () => {
  process.env['NOTES_SIGNING_SECRET'] = SECRET
  const app = await createApplication()
  await app.listen(0, '127.0.0.1')
  await expectDeliveriesToArrive(await app.getUrl())
  await app.close()
})
