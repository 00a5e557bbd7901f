import { hash } from 'node:crypto'

/** A Lua script. Redis caches it by its hash. */
export interface Script {
  readonly source: string
  readonly sha1: string
}

function script(source: string): Script {
  return { source, sha1: hash('sha1', source) }
}

/*
 * The value of a key is "<fencing token> <end of the lease> <end of the deduplication window> <state>". Times are in milliseconds since the Unix
 * epoch. The end of the lease is 0 if no worker has a lease, and the end of the window is 0 until the first commit. The state of an event is
 * empty, "processed", or "forgotten" after `forget`. The state of a note is empty, or its `AppliedRevision` in JSON.
 */

/**
 * Leases an event and its note, unless the event is processed or one of them has a lease. A lease that ends more than twice its length
 * ahead was written before the clock was set back.
 *
 * KEYS: the event; the note, if there is one.
 * ARGV: the length of the lease (ms); `keepMs`.
 *
 * The fencing token is the time of the server in microseconds, or one more than the last token if that is higher: tokens grow even if the clock
 * is set back, or if a key has expired.
 *
 * Returns four lines: the token, or an empty line without a lease; whether a lease was found (`1` or `0`); and the values of the event and of
 * the note before.
 */
export const CLAIM = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local token, values, is_leased = time[1] * 1000000 + time[2], {}, '0'
for i, key in ipairs(KEYS) do
  values[i] = redis.call('GET', key) or ''
  local last, ends = string.match(values[i], '^(%d+) (%d+) ')
  ends = tonumber(ends or 0)
  if ends > now and ends <= now + 2 * ARGV[1] then is_leased = '1' end
  token = math.max(token, (last or 0) + 1)
end
local found = '\\n' .. is_leased .. '\\n' .. values[1] .. '\\n' .. (values[2] or '')
if is_leased == '1' or string.find(values[1], ' processed$') then return found end

token = string.format('%.0f', token)
for i, key in ipairs(KEYS) do
  local kept = string.match(values[i], '^%d+ %d+ (%d+ .*)$') or '0 '
  local keep_ms = math.max(string.match(kept, '^%d+') - now, ARGV[1] + ARGV[2])
  redis.call('SET', key, token .. string.format(' %.0f ', now + ARGV[1]) .. kept, 'PX', string.format('%.0f', keep_ms))
end
return token .. found
`)

/**
 * Writes the values of a claim, if no other worker has claimed the event or its note: a renewal, a commit or a release.
 *
 * KEYS: the event; the note, if there is one.
 * ARGV: the fencing token; the length of the lease (ms), 0 for none; `keepMs`; then for each key its new state, empty if the state stays. A new
 * state of the event makes it a commit.
 *
 * Returns `lost`, or `written`.
 */
export const WRITE = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local values = {}
for i, key in ipairs(KEYS) do
  values[i] = redis.call('GET', key) or ''
  if not string.find(values[i], '^' .. ARGV[1] .. ' [1-9]') then return 'lost' end
end

local ends = ARGV[2] == '0' and 0 or now + ARGV[2]
for i, key in ipairs(KEYS) do
  local kept, state = string.match(values[i], '^%d+ %d+ (%d+) (.*)$')
  if ARGV[3 + i] ~= '' then state = ARGV[3 + i] end
  -- An event with a shorter window never shortens the window of an earlier event of its note.
  if ARGV[4] ~= '' and state ~= '' then kept = math.max(kept, now + ARGV[3]) end
  local value = string.format('%s %.0f %.0f ', ARGV[1], ends, kept) .. state
  local keep_ms = math.max(kept - now, ARGV[2] + ARGV[3])
  redis.call('SET', key, value, 'PX', string.format('%.0f', keep_ms))
end
return 'written'
`)

/** KEYS: the event. */
export const FORGET = script(`
local value = redis.call('GET', KEYS[1]) or ''
if not string.find(value, ' processed$') then return 'unknown' end
redis.call('SET', KEYS[1], (string.gsub(value, 'processed$', 'forgotten')), 'KEEPTTL')
return 'forgotten'
`)
