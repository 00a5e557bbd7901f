// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a patch replaces the source of a template string.
import { type Patch, patchOf } from '../simulation/patch.ts'
import { type StatementSuite, suites } from './statement-suites.ts'

/** A mistake in SQL, PL/pgSQL or Lua that the tests of the store must find. */
export interface PlantedStatement {
  readonly suite: StatementSuite
  readonly mistake: string
  readonly patch: Patch
}

type Planting = readonly [mistake: string, find: string, replace: string]

function plantedIn(suite: StatementSuite, file: string, ...plantings: readonly Planting[]): PlantedStatement[] {
  const patch = patchOf(file)
  return plantings.map(([mistake, find, replace]) => ({ suite, mistake, patch: patch(find, replace) }))
}

const inSqlite = plantedIn(
  suites.sqlite,
  'webhooks/src/stores/sqlite/statements.ts',
  [
    'a lease from before the clock was set back counts',
    '${row}.lease_ends_at <= now + ?, 0)',
    '(${row}.lease_ends_at <= now + ? OR 1), 0)',
  ],
  ['the lease of a note is ignored', "OR ${isLive('note')} AS", "OR (0 AND ${isLive('note')}) AS"],
  [
    'a claim does not compare the event',
    "CASE WHEN ${isVersion('notewire_events', 'event_id')} AND",
    "CASE WHEN (1 OR ${isVersion('notewire_events', 'event_id')}) AND",
  ],
  [
    'a claim does not compare the note',
    "AND ${isVersion('notewire_notes', 'note_id')}\n",
    "AND (1 OR ${isVersion('notewire_notes', 'note_id')})\n",
  ],
  [
    'a token is not above the last of the event',
    "${nextAfter('notewire_events', 'event_id')},",
    "0 * ${nextAfter('notewire_events', 'event_id')},",
  ],
  [
    'a token is not above the last of the note',
    "${nextAfter('notewire_notes', 'note_id')})",
    "0 * ${nextAfter('notewire_notes', 'note_id')})",
  ],
  [
    'a forgotten event stays forgotten after a transaction',
    'forgotten = event.forgotten AND excluded.kept_until IS NULL',
    'forgotten = event.forgotten',
  ],
  [
    'a later event of a note shortens what is kept',
    'coalesce(max(excluded.kept_until, ${row}.kept_until), excluded',
    'coalesce(excluded',
  ],
  [
    'a claim that has lost the event leases the note',
    'WHERE integration = ? AND event_id = ? AND changes() = 1\n',
    'WHERE integration = ? AND event_id = ?\n',
  ],
  [
    'a claim that has lost the event returns the token of the other worker',
    "integration = ? AND event_id = ? AND changes() = 1'",
    "integration = ? AND event_id = ?'",
  ],
  [
    'a claim erases what was applied',
    'applied = coalesce(excluded.applied, note.applied)',
    'applied = excluded.applied',
  ],
  ['a further change shortens what is kept', 'max(coalesce(kept_until, 0), ', 'max(0, '],
  ['an event that is not processed is forgotten', 'AND kept_until IS NOT NULL AND NOT forgotten', 'AND NOT forgotten'],
  ['an event is forgotten twice', 'IS NOT NULL AND NOT forgotten', 'IS NOT NULL'],
  [
    'a mark of another worker is taken back',
    'SET forgotten = 1 WHERE integration = ? AND event_id = ? AND fencing_token = ?',
    'SET forgotten = 1 WHERE integration = ? AND event_id = ? AND fencing_token >= 0 * ?',
  ],
)

const inSqliteLeases = plantedIn(
  suites.sqlite,
  'webhooks/src/stores/sqlite/lease-statements.ts',
  ['a claim ends twice', "'fencing_token = ? AND lease_ends_at IS NOT NULL'", "'fencing_token = ?'"],
  ['a commit does not compare the note', 'AND ${IS_NOTE_HELD}', 'AND (1 OR ${IS_NOTE_HELD})'],
  [
    'a commit that has lost the event records the change of the note',
    'AND note_id = ? AND changes() = 1`',
    'AND note_id = ?`',
  ],
  ['a lease is renewed from its end', 'lease_ends_at = ${NOW} + ?', 'lease_ends_at = max(lease_ends_at, ${NOW}) + ?'],
  ['a forgotten event stays forgotten after a commit', '${ENDED}, forgotten = 0, ${KEPT}', '${ENDED}, ${KEPT}'],
)

const inSqlitePruning = plantedIn(
  suites.sqlite,
  'webhooks/src/stores/sqlite/pruning.ts',
  ['the last token of a pruned row can be assigned again', 'AND fencing_token < ${NOW}', 'AND (1 OR ${NOW})'],
  ['a row with a lease is pruned', 'kept_until IS NULL AND lease_ends_at IS NULL', 'kept_until IS NULL'],
  ['an expired revision still counts', "'applied = NULL'", "'applied = applied'"],
)

const inPostgres = [
  ...plantedIn(
    suites.postgres,
    'webhooks/src/stores/postgres/claim-function.ts',
    [
      'a claim does not compare the event',
      'AND event_id = for_event AND xmin::text = event.version',
      'AND event_id = for_event',
    ],
    [
      'a claim does not compare the note',
      'AND note_id = for_note AND xmin::text = note.version',
      'AND note_id = for_note',
    ],
    [
      'a lease is ignored',
      "IF event_state = 'processed' OR lease_state = 'leased' THEN",
      "IF event_state = 'processed' THEN",
    ],
    ['a claim that has lost the event leases the note', 'ELSIF for_note IS NOT NULL THEN', 'ELSIF false THEN'],
  ),
  ...plantedIn(
    suites.postgres,
    'webhooks/src/stores/postgres/look-function.ts',
    ['a lease of the event from before the clock was set back counts', ' AND event.lease_ends_at <= latest_end', ''],
    ['a lease of the note from before the clock was set back counts', ' AND note.lease_ends_at <= latest_end', ''],
    ['a forgotten event stays processed', " WHEN event.forgotten THEN 'forgotten'", ''],
  ),
  ...plantedIn(
    suites.postgres,
    'webhooks/src/stores/postgres/lease-functions.ts',
    [
      'a commit does not compare the note',
      'fencing_token = held_token AND lease_ends_at IS NOT NULL;\n    IF',
      'lease_ends_at IS NOT NULL;\n    IF',
    ],
    [
      'a commit does not compare the event',
      'fencing_token = held_token AND lease_ends_at IS NOT NULL;\n  IF',
      'lease_ends_at IS NOT NULL;\n  IF',
    ],
    ['a claim ends twice', 'held_token AND lease_ends_at IS NOT NULL;\n  IF', 'held_token;\n  IF'],
    [
      'a commit that has lost the event records the change of the note',
      "RAISE EXCEPTION 'another worker has taken the event' USING ERRCODE = '${EVENT_CHANGED}'",
      "RETURN 'lost'",
    ],
    [
      'a later event of a note shortens what is kept',
      'ELSE greatest(kept_until, keep_until) END',
      'ELSE keep_until END',
    ],
    ['a replay shortens what is kept', 'greatest(kept_until, keep_until), forgotten', 'keep_until, forgotten'],
    ['a forgotten event stays forgotten', 'kept_until, keep_until), forgotten = false', 'kept_until, keep_until)'],
    ['a commit erases what was applied', 'applied = coalesce(new_applied, applied)', 'applied = new_applied'],
    [
      'a lease is renewed from its end',
      "'lease_ends_at = ends_at',\n  'lease",
      "'lease_ends_at = lease_ends_at',\n  'lease",
    ],
  ),
  ...plantedIn(
    suites.postgres,
    'webhooks/src/stores/postgres/hold-function.ts',
    [
      'a transaction does not compare the event',
      'AND event_id = for_event AND xmin::text = event_version',
      'AND event_id = for_event',
    ],
    ['a forgotten event stays forgotten', 'forgotten = false', 'forgotten = forgotten'],
    [
      'a later event of a note shortens what is kept',
      'ELSE greatest(kept_until, keep_until) END',
      'ELSE keep_until END',
    ],
    [
      'a replay shortens what is kept',
      'greatest(kept_until, keep_until),\n      forgotten',
      'keep_until,\n      forgotten',
    ],
  ),
  ...plantedIn(
    suites.postgres,
    'webhooks/src/stores/postgres/pruning.ts',
    ['a row with a lease is pruned', 'AND (lease_ends_at IS NULL OR lease_ends_at <= clock_timestamp())', ''],
    ['a row without a record is counted', 'count(kept_until)', 'count(*)'],
  ),
]

const inRedis = plantedIn(
  suites.redis,
  'webhooks/src/stores/redis/scripts.ts',
  [
    'a lease from before the clock was set back counts',
    'if ends > now and ends <= now + 2 * lease_ms then',
    'if ends > now then',
  ],
  ['a token is not above the last', 'if last >= token then token = last + 1 end', ''],
  ['a processed event is claimed', " or states[1] == 'processed' then", ' then'],
  ['a commit does not compare the token', "if token ~= ARGV[1] or ends == '0' then", "if ends == '0' then"],
  ['a claim ends twice', "if token ~= ARGV[1] or ends == '0' then", 'if token ~= ARGV[1] then'],
  ['a later event of a note shortens what is kept', ' and now + keep_ms > tonumber(window) then', ' then'],
  [
    'a commit shortens the life of a key',
    "'PX', math.max(window - now, lease_ms + keep_ms)",
    "'PX', lease_ms + keep_ms",
  ],
  ['a claim shortens the life of a key', "'PX', math.max(window - now, keep_ms)", "'PX', keep_ms"],
  ['a forgotten event is kept for ever', ", 'KEEPTTL')", ')'],
)

const inMirror = [
  ...plantedIn(
    suites.mirrorSqlite,
    'mirror/src/stores/sql/due-notes.ts',
    ['a note is due before its time', 'AND due_at <= ${timestamp(dueBy)} ORDER', 'AND ${timestamp(dueBy)} > 0 ORDER'],
    [
      'a note that must be read again is not first',
      "UNION ALL ${due('clean')} ORDER BY kind, due_at",
      "UNION ALL ${due('clean')} ORDER BY due_at",
    ],
    ['the next time is that of a note that is due', ' AND note_id NOT IN (SELECT note_id FROM due)', ''],
    [
      'the next time is that of a note to be read again',
      "${next('dirty')} UNION ALL ${next('clean')}",
      "${next('dirty')}",
    ],
    [
      'due notes of another integration',
      'WHERE note.integration = ${integration} AND note.note_id = due',
      'WHERE note.note_id = due',
    ],
  ),
  ...plantedIn(
    suites.mirrorSqlite,
    'mirror/src/stores/sql/integration-statements.ts',
    ['a row that another process has written is overwritten', ' AND version = ${version} AND', ' AND'],
    ['a hint that has arrived meanwhile is overwritten', 'AND hints = ${hints} AND', 'AND'],
    ['a row of an integration that was added again is overwritten', ' AND generation = ${generation} AND', ' AND'],
    ['an expired lease is never taken over', 'lease_until <= ${now} OR ', ''],
    ['a lease from before the clock was set back counts', ' OR lease_until > ${latestLeaseEnd({ now, until })}', ''],
    [
      'the integration that has waited longest is not first',
      'ORDER BY due_at LIMIT 1 ${dialect',
      'ORDER BY due_at DESC LIMIT 1 ${dialect',
    ],
    ['a taken integration keeps its fencing token', 'token: sql`token + 1`', 'token: sql`token`'],
    ['a hint counts as waiting before its time', ' AND due_at <= ${waitingSince} AND', ' AND'],
    ['a hint of an integration that nobody has is found', ' AND lease_until > ${now} AND', ' AND'],
    [
      'a note that is shown again counts as a held removal',
      " IS NOT NULL AND note.presence = 'hidden'`",
      ' IS NOT NULL`',
    ],
  ),
  ...plantedIn(
    suites.mirrorSqlite,
    'mirror/src/stores/sql/feed.ts',
    [
      'a position belongs to the run that began after it',
      'runs.position < ${position}',
      'runs.position <= ${position}',
    ],
    ['a run ends where it began', 'later.position > asked.start', 'later.position >= asked.start'],
  ),
  ...plantedIn(
    suites.mirrorSqlite,
    'mirror/src/stores/sql/listing-states.ts',
    [
      'a note that was read since a full listing began is missing from it',
      'evidence_start < ${',
      'evidence_start <= ${',
    ],
    ['a full listing holds the removals of another', 'held_by_scan = ${query.heldBy}', "held_by_scan <> ''"],
    ['a note that is hidden until the far future stays', ' OR note.hidden_at > ${hiddenBefore + LATEST_HIDDEN_MS}', ''],
    ['an erased note is erased again', ' AND note.state <> ${ERASED}', ''],
  ),
  ...plantedIn(
    suites.mirrorSqlite,
    'mirror/src/stores/sqlite/committing.ts',
    [
      'a note that another process has written is overwritten',
      'WHERE coalesce(note.version, 0) <> expected',
      'WHERE 0 AND coalesce(note.version, 0) <> expected',
    ],
    [
      'the time of the last event goes back',
      'coalesce(max(heard_at, excluded.heard_at), ',
      'coalesce(excluded.heard_at, ',
    ],
    [
      'a note that is shown again counts as new',
      '`${name} = coalesce(${name}, excluded.position)`',
      '`${name} = excluded.position`',
    ],
    ['the notes of a commit share a position', 'SELECT position - ? AS', 'SELECT position - 0 * ? AS'],
    ['a part that is not announced loses its position', '${name} = coalesce(position, 0)`', '${name} = 0`'],
    [
      'an erased summary does not count as erased',
      'content.summary_record IS NOT NULL',
      'content.summary_record IS NULL',
    ],
  ),
  ...plantedIn(
    suites.mirrorSqlite,
    'mirror/src/stores/sqlite/loading.ts',
    [
      'a sequence number is assigned twice',
      'DO UPDATE SET sequence = sequence + 1\n',
      'DO UPDATE SET sequence = sequence\n',
    ],
    ['a process skips no position', 'position = position + 1000000', 'position = position'],
    ['a process skips no sequence number', 'SET sequence = sequence + 1000000', 'SET sequence = sequence'],
  ),
  ...plantedIn(
    suites.mirrorSqlite,
    'mirror/src/stores/sqlite/run-statements.ts',
    ['a run continues in a restored copy', 'WHERE latest < written OR NOT', 'WHERE NOT'],
    ['the runs of an erased integration stay', '    AND position >= (SELECT', '    AND position > (SELECT 1 +'],
  ),
  ...plantedIn(
    suites.mirrorSqlite,
    'mirror/src/stores/sqlite/consumer-statements.ts',
    ['a consumer that another process has written is overwritten', ', 0) <> ?`', ', 0) <> 0 * ?`'],
    ['a parked note is forgotten', " AND due_at IS NULL AND note ->> 'parkedAt' IS NULL`", ' AND due_at IS NULL`'],
    [
      'a note is retried before its change',
      ' AND coalesce(note.position, 0) <= ?\n',
      ' AND coalesce(note.position, 0) >= 0 * ?\n',
    ],
  ),
]

const inMirrorOnPostgres = [
  ...plantedIn(
    suites.mirrorPostgres,
    'mirror/src/stores/postgres/commit-function.ts',
    [
      'a note that another process has written is overwritten',
      '<> expected.version::bigint',
      '< expected.version::bigint',
    ],
    [
      'two processes insert the same note',
      'notes.note_id = ANY (new_ids)) THEN',
      'notes.note_id = ANY (new_ids)) AND false THEN',
    ],
    [
      'the time of the last event goes back',
      'greatest(mirrors.heard_at, to_timestamp(heard_ms / 1000))',
      'coalesce(to_timestamp(heard_ms / 1000), mirrors.heard_at)',
    ],
    ['a hint delays due work', 'least(integrations.due_at, hint_due_ms)', 'hint_due_ms'],
    ['a hint is not counted', "'hints', integrations.hints + 1", "'hints', integrations.hints"],
    [
      'a worker that has lost its lease commits',
      'AND integrations.token = coalesce(fence_token, integrations.token)',
      '',
    ],
    ['a transcript is erased with another part', 'ELSE known.transcript END', 'END'],
    ['a note that is shown again counts as new', 'coalesce(known.first_visible, CASE', 'coalesce(NULL, CASE'],
  ),
  ...plantedIn(
    suites.mirrorPostgres,
    'mirror/src/stores/postgres/load-function.ts',
    ['sequence numbers begin again after a crash', 'number := durable_limit - 1000;', 'number := 0;'],
    ['a sequence number is assigned twice', 'number := number + 1;', ''],
  ),
  ...plantedIn(
    suites.mirrorPostgres,
    'mirror/src/stores/postgres/consumer-statements.ts',
    ['a parked note is forgotten', " AND kept.note->>'parkedAt' IS NULL", ''],
    [
      'a consumer that another process has written is overwritten',
      'WHERE consumers.version = (SELECT "expectedVersion" FROM given)',
      '',
    ],
    ['a note is retried before its change', 'AND note.position <= $7', 'AND $7 >= 0'],
  ),
  ...plantedIn(
    suites.mirrorPostgres,
    'mirror/src/stores/postgres/runs.ts',
    ['a run continues in a restored copy', 'IF position_before >= known_position\n    AND EXISTS', 'IF EXISTS'],
    ['a run continues on another server', 'AND this_server = (', "AND '' <> ("],
  ),
]

export const plantedStatements: readonly PlantedStatement[] = [
  ...inSqlite,
  ...inSqliteLeases,
  ...inSqlitePruning,
  ...inPostgres,
  ...inRedis,
  ...inMirror,
  ...inMirrorOnPostgres,
]
