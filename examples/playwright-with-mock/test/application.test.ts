import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { NotesClient } from '@notewire/client'
import { createNotesService } from '@notewire/mock-server'
import { expect, test } from '@playwright/test'
import { createApplication } from '../src/application.ts'

test('the page shows a note from its end until its deletion', async ({ page }) => {
  await using service = await createNotesService()
  const { url: baseUrl } = await service.listen()
  const client = new NotesClient({ baseUrl, apiKey: service.apiKey })

  let secret: string | undefined
  const application = createApplication(client, () => secret).listen(0, '127.0.0.1')
  await once(application, 'listening')
  const origin = `http://127.0.0.1:${(application.address() as AddressInfo).port}`
  const url = `${origin}/webhooks/notes`
  const endpoint = await client.webhookEndpoints.create({ url, events: ['note.ended', 'note.deleted'] })
  secret = endpoint.signing_secret
  // The first verification may have arrived before the line above. When the URL is set again, the service sends another.
  await client.webhookEndpoints.update(endpoint.endpoint_id, { url })
  await client.webhookEndpoints.waitUntilActive(endpoint.endpoint_id)

  const note = service.owner.record({ title: 'Besprechung <über> Größe' }).end({ summary: false })
  await service.settled()
  await page.goto(origin)
  await expect(page.getByRole('listitem')).toHaveText('Besprechung <über> Größe')

  note.delete()
  await service.settled()
  await page.reload()
  await expect(page.getByRole('listitem')).toHaveCount(0)
  application.close()
})
