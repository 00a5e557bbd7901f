import { script } from './script.ts'

/*
 * An event's key holds "<fencing token> <end of the lease, in ms>", followed by " forgotten" when it was; or, once it is
 * committed, "processed <fencing token>". A note's key holds the same two numbers, and below them, a line each, the
 * revision applied and what is seen at it. A lease whose end is 0 was given back.
 *
 * Leases do not expire with their keys: while nobody has taken a claim over, its holder may still commit it. The token
 * stays with the key, and grows though the clock is set back; it grows by the clock though the key is gone.
 */

const IS_CURRENT = `
local held = ARGV[1] .. ' '
local event = redis.call('GET', KEYS[1])
local note = KEYS[2] and redis.call('GET', KEYS[2])
if string.find(event or '', held, 1, true) ~= 1 then return 'lost' end
if KEYS[2] and string.find(note or '', held, 1, true) ~= 1 then return 'lost' end
`

/**
 * KEYS: the event; the note, where there is one.
 * ARGV: lease (ms); how long the key is kept (ms); where the gate decides: the revision, and what passes at an equal one
 * unless it is seen already.
 */
export const CLAIM = script(`
local event = redis.call('GET', KEYS[1])
if event and string.sub(event, 1, 9) == 'processed' then return 'duplicate' end
local forgotten = event and string.find(event, ' forgotten', 1, true)

local note = KEYS[2] and redis.call('GET', KEYS[2])
local note_token, note_ends, revision, seen = 0, 0, '', ''
if note then
  note_token, note_ends, revision, seen = string.match(note, '^(%d+) (%d+)\\n(%S*)(.*)$')
  -- What was forgotten on purpose is to pass, whatever its revision.
  if ARGV[3] and revision ~= '' and not forgotten then
    local above = ARGV[3] - revision
    if above < 0 or above == 0 and (not ARGV[4] or string.find(seen, '\\nnote.deleted', 1, true)
        or string.find(seen, '\\n' .. ARGV[4] .. '\\n', 1, true)) then
      return 'stale ' .. revision
    end
  end
end

local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local event_token, event_ends = 0, 0
if event then event_token, event_ends = string.match(event, '^(%d+) (%d+)') end
if tonumber(event_ends) > now or tonumber(note_ends) > now then return 'busy' end

local token = math.max(time[1] * 1000000 + time[2], event_token + 1, note_token + 1)
local lease = string.format('%.0f %.0f', token, now + ARGV[1])
redis.call('SET', KEYS[1], forgotten and lease .. ' forgotten' or lease, 'PX', ARGV[2])
if KEYS[2] then redis.call('SET', KEYS[2], lease .. '\\n' .. revision .. seen, 'PX', ARGV[2]) end
return lease
`)

/**
 * KEYS: the event; the note, where there is one.
 * ARGV: fencing token; lease (ms); how long the key is kept (ms).
 */
export const RENEW = script(`${IS_CURRENT}
local time = redis.call('TIME')
local lease = held .. string.format('%.0f', time[1] * 1000 + time[2] / 1000 + ARGV[2])
redis.call('SET', KEYS[1], (string.gsub(event, '^%d+ %d+', lease)), 'PX', ARGV[3])
if note then redis.call('SET', KEYS[2], (string.gsub(note, '^%d+ %d+', lease)), 'PX', ARGV[3]) end
return 'renewed'
`)

/**
 * KEYS: the event; the note, where there is one.
 * ARGV: fencing token; how long to keep mark and revision (ms); where there is a change: its revision, and what is seen.
 */
export const COMMIT = script(`${IS_CURRENT}
redis.call('SET', KEYS[1], 'processed ' .. ARGV[1], 'PX', ARGV[2])
if note then
  local revision, seen = string.match(note, '\\n(%S*)(.*)$')
  if ARGV[3] then
    local above = revision == '' and 1 or ARGV[3] - revision
    if above > 0 then
      revision, seen = ARGV[3], '\\n' .. ARGV[4] .. '\\n'
    elseif above == 0 and not string.find(seen, '\\n' .. ARGV[4] .. '\\n', 1, true) then
      seen = seen .. ARGV[4] .. '\\n'
    end
  end
  redis.call('SET', KEYS[2], held .. '0\\n' .. revision .. seen, 'PX', ARGV[2])
end
return 'committed'
`)

/** KEYS: the event; the note, where there is one. ARGV: fencing token. */
export const RELEASE = script(`${IS_CURRENT}
-- A token that nobody holds.
local ended = string.format('%.0f 0', ARGV[1] + 1)
redis.call('SET', KEYS[1], (string.gsub(event, '^%d+ %d+', ended)), 'KEEPTTL')
if note then redis.call('SET', KEYS[2], (string.gsub(note, '^%d+ %d+', ended)), 'KEEPTTL') end
return 'released'
`)

/** KEYS: the event. */
export const FORGET = script(`
local token = string.match(redis.call('GET', KEYS[1]) or '', '^processed (%d+)$')
if not token then return 'unknown' end
redis.call('SET', KEYS[1], string.format('%.0f 0 forgotten', token + 1), 'KEEPTTL')
return 'forgotten'
`)
