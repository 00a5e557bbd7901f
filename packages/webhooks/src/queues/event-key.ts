import { createHash } from 'node:crypto'

/** The UUID namespace of Notewire, a random UUID. */
const NAMESPACE = '8f1c5d0e-6a53-4c7e-9a0b-52f3d9f4c1a7'

/**
 * The id of an event in a queue: the UUIDv5 of its `event_id`, in the namespace that is the UUIDv5 of its integration. BullMQ refuses
 * ids that are integers or contain a colon, and an `event_id` may be one of these.
 */
export function eventKey(integration: string, eventId: string): string {
  return uuidV5(uuidV5(NAMESPACE, integration), eventId)
}

function uuidV5(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
