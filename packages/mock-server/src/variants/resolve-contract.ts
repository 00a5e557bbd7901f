import { OptionError, refuseUnknownOptions } from '@notewire/protocol'
import { type Duration, durationMs } from '../clock/duration.ts'
import { CONTRACT_DEFAULTS, type Contract, type ContractVariants } from './contract-variants.ts'

/** Says whether a value can be a variant, and which values can, in words. */
interface VariantRule {
  readonly admits: (value: unknown) => boolean
  readonly expected: string
}

/**
 * The variants, with the defaults of the rows that are left out.
 *
 * @throws {@link OptionError} naming the variant and what it can be
 */
export function resolveContract(variants: ContractVariants): Contract {
  refuseUnknownOptions('contract', variants, Object.keys(CONTRACT_DEFAULTS))
  const given = Object.entries(variants).filter(([, value]) => value !== undefined)
  for (const [name, value] of given) {
    const { admits, expected } = RULES[name as keyof Contract]
    if (admits(value)) continue
    throw new OptionError(`contract.${name}`, `contract.${name} is ${expected}, not ${JSON.stringify(value)}.`)
  }
  return { ...CONTRACT_DEFAULTS, ...Object.fromEntries(given) }
}

const flag = oneOf(true, false)
const name: VariantRule = {
  admits: (value) => typeof value === 'string' && /^[A-Za-z][\w:.-]*$/.test(value),
  expected: 'a name of letters, digits, "_", ":", "." and "-"',
}
const duration: VariantRule = {
  admits: isDuration,
  expected: 'a duration such as "5s", or milliseconds as a number from 0',
}

const RULES: { readonly [Field in keyof Contract]: VariantRule } = {
  notesField: name,
  noteIdentifier: oneOf('both', 'note_id', 'id'),
  noteFields: oneOf('all', 'required', 'unfamiliar'),
  tombstone: oneOf('record', 'marker'),
  limitOutOfRange: oneOf('refused', 'capped'),
  cursorLifetime: either(duration, oneOf('unlimited')),
  emptyPages: flag,
  lastCursor: oneOf('null', 'absent', 'empty'),
  repeatingCursor: flag,
  updatedAfter: oneOf('exclusive', 'inclusive'),
  timestamps: oneOf('milliseconds', 'seconds', 'minutes'),
  noteOperation: oneOf('tombstones', 'live_notes', 'absent'),
  transcriptNotReady: oneOf(404, 409, 202),
  contentRevision: oneOf('current', 'written', 'absent'),
  summaryNotReady: oneOf(200, 404),
  endpointEventData: oneOf('endpoint_id', 'empty'),
  endpointKinds: oneOf('refused', 'accepted'),
  otherReasons: oneOf('absent', 'null'),
  endpointIdentifier: oneOf('endpoint_id', 'id'),
  endpointFields: oneOf('all', 'required'),
  endpointOperations: oneOf('all', 'creation'),
  disabledState: name,
  disableAfter: either(
    { admits: (value) => Number.isSafeInteger(value) && Number(value) > 0, expected: 'a whole number from 1' },
    oneOf('never'),
  ),
  disableCounts: oneOf('attempts', 'deliveries'),
  whileInactive: oneOf('dropped', 'queued'),
  afterUrlChange: oneOf('pending_verification', 'active'),
  webhookId: oneOf('per_delivery', 'per_attempt'),
  summaryRaisesRevision: flag,
  deletionRaisesRevision: flag,
  debounceQuiet: duration,
  debounceLongest: duration,
  errorBody: oneOf('json', 'html', 'empty'),
  requestId: flag,
  noteScope: name,
  endpointScope: name,
  keyPrefix: {
    admits: (value) => typeof value === 'string' && /^[A-Za-z0-9]+$/.test(value),
    expected: 'letters and digits',
  },
  verification: oneOf('after_response', 'before_response'),
  accessGained: oneOf('silent', 'announced', 'revised'),
  eventOrder: oneOf('ended_first', 'any'),
}

function oneOf(...values: readonly unknown[]): VariantRule {
  return {
    admits: (value) => values.includes(value),
    expected: values.map((value) => JSON.stringify(value)).join(' or '),
  }
}

function either(one: VariantRule, other: VariantRule): VariantRule {
  return {
    admits: (value) => one.admits(value) || other.admits(value),
    expected: `${one.expected}, or ${other.expected}`,
  }
}

function isDuration(value: unknown): boolean {
  try {
    durationMs(value as Duration)
    return true
  } catch {
    return false
  }
}
