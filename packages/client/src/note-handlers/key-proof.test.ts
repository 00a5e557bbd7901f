import { expect, it } from 'vitest'
import { NotesClient } from '../notes-client.ts'
import { keyProofOf } from './key-proof.ts'

it('the proof of a key is kept for its integration, base URL and key, whichever client has them', async () => {
  const at = (baseUrl: string, apiKey: string) => new NotesClient({ baseUrl, apiKey })
  const proof = await keyProofOf(at('https://one.example', 'ntw_live_a.s3cret'), 'first')
  expect(proof.isProven()).toBe(false)
  proof.record()
  const isProven = async (client: NotesClient, integration: string) =>
    (await keyProofOf(client, integration)).isProven()
  expect(await isProven(at('https://one.example/', 'ntw_live_a.s3cret'), 'first')).toBe(true)
  expect(await isProven(at('https://one.example/v1', 'ntw_live_a.s3cret'), 'first')).toBe(true)
  expect(await isProven(at('https://one.example', 'ntw_live_a.s3cret'), 'second')).toBe(false)
  expect(await isProven(at('https://two.example', 'ntw_live_a.s3cret'), 'first')).toBe(false)
  // The same key id.
  expect(await isProven(at('https://one.example', 'ntw_live_a.s3cres'), 'first')).toBe(false)
})

it('of very many integrations, the ones whose notes were returned least recently count as unproven again', async () => {
  const client = new NotesClient({ baseUrl: 'https://many.example', apiKey: 'ntw_live_a.s3cret' })
  const proofOf = (name: number | string) => keyProofOf(client, `${name}`)
  const [idle, busy] = [await proofOf('idle'), await proofOf('busy')]
  idle.record()
  busy.record()
  for (let count = 0; count < 50_000; count += 1) {
    ;(await proofOf(count)).record()
    if (count % 10_000 === 0) busy.record()
  }
  expect([idle.isProven(), busy.isProven(), (await proofOf(49_999)).isProven()]).toEqual([false, true, true])
})
