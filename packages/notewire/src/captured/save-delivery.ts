import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Received } from '../listening/receive.ts'
import { writeRawRequest } from './raw-request.ts'

/**
 * Saves a delivery as a raw HTTP request, for `notewire verify`. Only the owner can read the file: it contains the whole delivery.
 *
 * @returns the name of the file
 */
export async function saveDelivery(folder: string, { at, arrival }: Received): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const time = new Date(at).toISOString().replaceAll(':', '-')
  const name = `${time}-${randomUUID().slice(0, 8)}.http`
  await writeFile(join(folder, name), writeRawRequest(arrival, at), { flag: 'wx', mode: 0o600 })
  return name
}
