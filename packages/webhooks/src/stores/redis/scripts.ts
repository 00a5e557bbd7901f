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
 * The value of an event's key is "<fencing token> <end of the lease, in ms>". After `forget`, " forgotten <ms>" follows: the time until
 * which the event would have been remembered. The value of a committed event is "processed <fencing token>".
 *
 * The value of a note's key has several lines. The first is "<fencing token> <end of the lease, in ms>", the second the applied revision.
 * It is empty if only deletions without a revision were applied. The others are the time until which the revision is kept ("kept <ms>"), and
 * one line for each kind of event applied at that revision. The line of a deletion exists while the note counts as deleted. It is
 * "note.deleted", with " without revision" if only a later time ends the deletion, and with " at <ms>" if its time is known.
 *
 * The end 0 means that the lease was released. A claim whose lease has expired can still be committed while no other worker has claimed
 * the event or the note. A new fencing token is the time of the server in microseconds, or one more than the stored token if that is
 * larger. So tokens grow even if the clock is set back, or if the key has expired.
 */

const IS_CURRENT = `
local held = ARGV[1] .. ' '
local event = redis.call('GET', KEYS[1])
local note = KEYS[2] and redis.call('GET', KEYS[2])
if string.find(event or '', held, 1, true) ~= 1 then return 'lost' end
if KEYS[2] and string.find(note or '', held, 1, true) ~= 1 then return 'lost' end
`

// The time in ms, and how long to keep a key: at least until the time that an earlier commit or `forget` wrote into its value.
const TIMES = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local function ms_to_keep(ms, kept_until)
  if kept_until and kept_until - ms > now then return math.ceil(kept_until - now) end
  return ms
end
`

// The deletion of a note, or nil; `at` is nil if its time is unknown. And whether a change is newer than that deletion: `above` is the
// difference of the revisions.
const DELETION = `
local function deletion_in(seen)
  local line = string.match(seen, '\\nnote%.deleted([^\\n]*)\\n')
  if not line then return nil end
  return {
    at_any_revision = string.find(line, ' without revision', 1, true) ~= nil,
    at = tonumber(string.match(line, ' at (%S+)$')),
  }
end
local function ends_deletion(deletion, above, occurred_at)
  if above > 0 and not deletion.at_any_revision then return true end
  return deletion.at ~= nil and occurred_at ~= nil and occurred_at > deletion.at
end
`

/**
 * KEYS: the event; the note, if there is one.
 * ARGV: lease (ms); how long the key is kept (ms); then, unless the gate is off or the event has no revision: its revision, the mode of the
 * gate, its line (see `seenLine`), and the time at which it occurred (ms), or an empty string.
 */
export const CLAIM = script(`${DELETION}
local event = redis.call('GET', KEYS[1])
local event_token, event_ends, forgotten = 0, 0, ''
if event then
  if string.sub(event, 1, 9) == 'processed' then return 'duplicate' end
  event_token, event_ends, forgotten = string.match(event, '^(%d+) (%d+)(.*)$')
end

local function passes_gate(revision, seen)
  local above = ARGV[3] - (tonumber(revision) or -1)
  if above < 0 or above == 0 and ARGV[4] == 'strict' then return false end
  if ARGV[5] == 'note.deleted' then return true end
  local deletion = deletion_in(seen)
  if deletion then return ends_deletion(deletion, above, tonumber(ARGV[6])) end
  return above > 0 or ARGV[4] == 'per-kind' and not string.find(seen, '\\n' .. ARGV[5] .. '\\n', 1, true)
end

local note = KEYS[2] and redis.call('GET', KEYS[2])
local note_token, note_ends, revision, seen = 0, 0, '', ''
if note then
  note_token, note_ends, revision, seen = string.match(note, '^(%d+) (%d+)\\n(%S*)(.*)$')
  -- An event that the user has forgotten passes the gate at any revision.
  if ARGV[3] and seen ~= '' and forgotten == '' and not passes_gate(revision, seen) then return 'stale ' .. revision end
end
${TIMES}
-- A lease that ends later was written before the clock was set back.
local function is_live(ends)
  return ends - now > 0 and ends - now <= 2 * ARGV[1]
end
if is_live(event_ends) or is_live(note_ends) then return 'busy' end

local token = math.max(time[1] * 1000000 + time[2], event_token + 1, note_token + 1)
local lease = string.format('%.0f %.0f', token, now + ARGV[1])
redis.call('SET', KEYS[1], lease .. forgotten, 'PX', ms_to_keep(ARGV[2], string.match(forgotten, '%d+')))
if KEYS[2] then
  local value = lease .. '\\n' .. revision .. seen
  redis.call('SET', KEYS[2], value, 'PX', ms_to_keep(ARGV[2], string.match(seen, '^\\nkept (%d+)\\n')))
  return value
end
return lease
`)

/**
 * KEYS: the event; the note, if there is one.
 * ARGV: fencing token; lease (ms); how long the key is kept (ms).
 */
export const RENEW = script(`${IS_CURRENT}${TIMES}
local lease = held .. string.format('%.0f', now + ARGV[2])
local function renew(key, value, kept_until)
  redis.call('SET', key, (string.gsub(value, '^%d+ %d+', lease)), 'PX', ms_to_keep(ARGV[3], kept_until))
end
renew(KEYS[1], event, string.match(event, ' forgotten (%d+)$'))
if note then renew(KEYS[2], note, string.match(note, '\\nkept (%d+)\\n')) end
return 'renewed'
`)

/**
 * KEYS: the event; the note, if there is one.
 * ARGV: fencing token; how long to keep event and revision (ms); if there is a change: its revision, its line (see `seenLine`), and the
 * time at which it occurred (ms). The revision and the time may be empty strings.
 */
export const COMMIT = script(`${IS_CURRENT}${TIMES}${DELETION}
redis.call('SET', KEYS[1], 'processed ' .. ARGV[1], 'PX', ms_to_keep(ARGV[2], string.match(event, ' forgotten (%d+)$')))
if not note then return 'committed' end

local revision, kept_until, seen = string.match(note, '\\n(%S*)\\nkept (%d+)(\\n.*)$')
local keep_ms = ms_to_keep(ARGV[2], kept_until)
if ARGV[3] then
  revision, seen = revision or '', seen or '\\n'
  local above = ARGV[3] == '' and 0 or ARGV[3] - (tonumber(revision) or -1)
  local occurred_at = tonumber(ARGV[5])
  local deletion = deletion_in(seen)
  if deletion and ends_deletion(deletion, above, occurred_at) then deletion = nil end
  if above > 0 then revision = ARGV[3] end
  if above >= 0 then
    if ARGV[4] == 'note.deleted' then
      local at_any_revision = ARGV[3] == '' or deletion and deletion.at_any_revision
      -- If the note already counts as deleted, the later of the two times is stored, or none if one of them is unknown.
      if deletion then occurred_at = occurred_at and deletion.at and math.max(occurred_at, deletion.at) end
      seen = '\\nnote.deleted' .. (at_any_revision and ' without revision' or '')
      seen = seen .. (occurred_at and string.format(' at %.0f', occurred_at) or '') .. '\\n'
    else
      -- The line of a deletion that still counts stays, also at a higher revision.
      local line = deletion and string.match(seen, '\\nnote%.deleted[^\\n]*\\n')
      if above > 0 then seen = line or '\\n'
      elseif not deletion then seen = string.gsub(seen, '\\nnote%.deleted[^\\n]*\\n', '\\n') end
      if not string.find(seen, '\\n' .. ARGV[4] .. '\\n', 1, true) then seen = seen .. ARGV[4] .. '\\n' end
    end
  end
end
local applied = seen and revision .. string.format('\\nkept %.0f', now + keep_ms) .. seen or ''
redis.call('SET', KEYS[2], held .. '0\\n' .. applied, 'PX', keep_ms)
return 'committed'
`)

/** KEYS: the event; the note, if there is one. ARGV: fencing token. */
export const RELEASE = script(`${IS_CURRENT}
-- A new token, with which no claim can commit.
local ended = string.format('%.0f 0', ARGV[1] + 1)
redis.call('SET', KEYS[1], (string.gsub(event, '^%d+ %d+', ended)), 'KEEPTTL')
if note then redis.call('SET', KEYS[2], (string.gsub(note, '^%d+ %d+', ended)), 'KEEPTTL') end
return 'released'
`)

/** KEYS: the event. */
export const FORGET = script(`
local token = string.match(redis.call('GET', KEYS[1]) or '', '^processed (%d+)$')
if not token then return 'unknown' end
local time = redis.call('TIME')
local kept_until = time[1] * 1000 + time[2] / 1000 + redis.call('PTTL', KEYS[1])
redis.call('SET', KEYS[1], string.format('%.0f 0 forgotten %.0f', token + 1, kept_until), 'KEEPTTL')
return 'forgotten'
`)
