import { randomUUID } from 'node:crypto'
import { KEEP_MS, LEASE_MS, newEventId, nextChange } from './claims.ts'
import type { RedisConnection } from './redis-drivers.ts'

// What a program would write by hand with the same meaning as the store: a lease with a token for the event and its note, a gate by the revision,
// and a commit that only the holder of the lease can do. It has no `forget`, no deletions, and no clock that may be set back.
const CLAIM = `
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return redis.call('GET', KEYS[1]) == 'processed' and 'duplicate' or 'busy'
end
local applied = redis.call('GET', KEYS[2])
local answer = applied and tonumber(applied) >= tonumber(ARGV[3]) and 'stale'
  or not redis.call('SET', KEYS[3], ARGV[1], 'NX', 'PX', ARGV[2]) and 'busy'
  or 'claimed'
if answer ~= 'claimed' then redis.call('DEL', KEYS[1]) end
return answer`

const COMMIT = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('GET', KEYS[3]) ~= ARGV[1] then return 'lost' end
redis.call('SET', KEYS[1], 'processed', 'PX', ARGV[2])
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[2])
redis.call('DEL', KEYS[3])
return 'committed'`

/** Makes the claim and the commit of an event and its note by two scripts that are written by hand. */
export async function scriptPair({ loadScript }: RedisConnection): Promise<() => Promise<void>> {
  const [claim, commit] = await Promise.all([loadScript(CLAIM), loadScript(COMMIT)])
  return async () => {
    const { noteId, revision } = nextChange()
    const keys = [`{pair}:event:${newEventId()}`, `{pair}:note:${noteId}`, `{pair}:lease:${noteId}`]
    const token = randomUUID()
    const answer = await claim(keys, [token, String(LEASE_MS), String(revision)])
    if (answer !== 'claimed') throw new Error(`a new event is ${answer}`)
    const end = await commit(keys, [token, String(KEEP_MS), String(revision)])
    if (end !== 'committed') throw new Error(`the claim of an event is ${end}`)
  }
}
