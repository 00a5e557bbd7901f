import { hash } from 'node:crypto'

/** The UUID namespace of Notewire, a random UUID. */
const NAMESPACE = Buffer.from('8f1c5d0e6a534c7e9a0b52f3d9f4c1a7', 'hex')

/**
 * The id of an event in a queue: the UUIDv5 of its `event_id`, in the namespace that is the UUIDv5 of its integration. BullMQ refuses
 * ids that are integers or contain a colon, and an `event_id` may be one of these.
 */
export function eventKey(integration: string, eventId: string): string {
  const uuid = uuidV5(uuidV5(NAMESPACE, integration), eventId)
  return uuid.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The 16 bytes of a UUIDv5. */
function uuidV5(namespace: Buffer, name: string): Buffer {
  const uuid = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]), 'buffer').subarray(0, 16)
  uuid.writeUInt8((uuid.readUInt8(6) & 0x0f) | 0x50, 6)
  uuid.writeUInt8((uuid.readUInt8(8) & 0x3f) | 0x80, 8)
  return uuid
}
