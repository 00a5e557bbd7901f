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
 * ARGV: the length of the lease (ms); how long the keys are kept at least (ms).
 *
 * The fencing token is the time of the server in microseconds, or one more than the last token if that is higher: tokens grow even if the clock
 * is set back, or if a key has expired.
 *
 * Returns four lines: the token, or an empty line without a lease; whether a lease was found (`1` or `0`); and the values of the event and of
 * the note before.
 */
// A pattern or a format takes as long as a command, so each value is matched once, and only the token, which is too long for Lua, is formatted.
export const CLAIM = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local token = time[1] * 1000000 + time[2]
local lease_ms, keep_ms = tonumber(ARGV[1]), tonumber(ARGV[2])
local values, windows, states, is_leased = {}, {}, {}, '0'
for i, key in ipairs(KEYS) do
  local value = redis.call('GET', key)
  if value then
    local last, ends, window, state = string.match(value, '^(%d+) (%d+) (%d+) (.*)$')
    values[i], windows[i], states[i] = value, window, state
    ends, last = tonumber(ends), tonumber(last)
    if ends > now and ends <= now + 2 * lease_ms then is_leased = '1' end
    if last >= token then token = last + 1 end
  end
end
local found = '\\n' .. is_leased .. '\\n' .. (values[1] or '') .. '\\n' .. (values[2] or '')
if is_leased == '1' or states[1] == 'processed' then return found end

token = string.format('%.0f', token)
local lease = token .. ' ' .. now + lease_ms .. ' '
for i, key in ipairs(KEYS) do
  local window = windows[i]
  if window then
    redis.call('SET', key, lease .. window .. ' ' .. states[i], 'PX', math.max(window - now, keep_ms))
  else
    redis.call('SET', key, lease .. '0 ', 'PX', ARGV[2])
  end
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
local windows, states = {}, {}
for i, key in ipairs(KEYS) do
  local value = redis.call('GET', key)
  if not value then return 'lost' end
  local token, ends, window, state = string.match(value, '^(%d+) (%d+) (%d+) (.*)$')
  if token ~= ARGV[1] or ends == '0' then return 'lost' end
  windows[i], states[i] = window, state
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease_ms, keep_ms = tonumber(ARGV[2]), tonumber(ARGV[3])
local lease = ARGV[1] .. ' ' .. (lease_ms == 0 and 0 or now + lease_ms) .. ' '
for i, key in ipairs(KEYS) do
  local window, state = windows[i], states[i]
  if ARGV[3 + i] ~= '' then state = ARGV[3 + i] end
  -- An event with a shorter window never shortens the window of an earlier event of its note.
  if ARGV[4] ~= '' and state ~= '' and now + keep_ms > tonumber(window) then window = now + keep_ms end
  redis.call('SET', key, lease .. window .. ' ' .. state, 'PX', math.max(window - now, lease_ms + keep_ms))
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
