import { ENDPOINT_EVENT_KINDS, NOTE_EVENT_KINDS, OptionError, refuseUnknownOptions } from '@notewire/protocol'
import { durationMs } from '../clock/duration.ts'
import type { DeliveryFault, FaultRule, RequestFault } from './fault-rule.ts'

const KINDS: readonly string[] = ['*', ...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS]

const REQUEST_FAULT_FIELDS: Readonly<Record<RequestFault['kind'], readonly string[]>> = {
  status: ['status', 'retryAfter'],
  latency: ['by'],
  truncated: [],
  malformed: [],
  dropped: ['lost'],
  empty_page: [],
  short_page: ['notes'],
}

const DELIVERY_FAULT_FIELDS: Readonly<Record<DeliveryFault['kind'], readonly string[]>> = {
  duplicated: [],
  reordered: [],
  delayed: ['by'],
  lost: ['lost'],
  corrupted: [],
  old_secret: [],
  skewed: ['seconds'],
}

/**
 * Refuses a rule that can never strike as it says.
 *
 * @throws {@link OptionError} naming what is wrong with it
 */
export function checkFaultRule(rule: FaultRule): void {
  if ('request' in rule) {
    refuseUnknownOptions('a fault of requests', rule, ['request', 'calls', 'rate', 'fault'])
    demand(
      typeof rule.request === 'string' && /^(\*|[A-Z]+) \/\S*$/.test(rule.request),
      'faults.request',
      'is a method and a path, such as "GET /v1/notes"',
    )
    checkFault(rule.fault, REQUEST_FAULT_FIELDS)
  } else {
    refuseUnknownOptions('a fault of deliveries', rule, ['delivery', 'endpoint_id', 'calls', 'rate', 'fault'])
    demand(KINDS.includes(rule.delivery), 'faults.delivery', `is one of ${KINDS.join(', ')}`)
    checkFault(rule.fault, DELIVERY_FAULT_FIELDS)
  }
  const { calls = [], rate = 1 } = rule
  demand([calls].flat().every(isCount), 'faults.calls', 'is a whole number from 1, or a list of them')
  demand(typeof rate === 'number' && rate >= 0 && rate <= 1, 'faults.rate', 'is a share from 0 (none) to 1 (all)')
}

function checkFault(fault: RequestFault | DeliveryFault, known: Readonly<Record<string, readonly string[]>>): void {
  const fields = known[fault?.kind]
  if (fields === undefined) throw wrong('faults.kind', `is one of ${Object.keys(known).join(', ')}`)
  refuseUnknownOptions(`the fault "${fault.kind}"`, fault, ['kind', ...fields])
  switch (fault.kind) {
    case 'status':
      demand(isCount(fault.status) && fault.status >= 400 && fault.status <= 599, 'faults.status', 'is from 400 to 599')
      break
    case 'latency':
    case 'delayed':
      durationMs(fault.by)
      break
    case 'dropped':
    case 'lost':
      demand(['request', 'answer', undefined].includes(fault.lost), 'faults.lost', 'is "request" or "answer"')
      break
    case 'short_page':
      demand(fault.notes === undefined || isCount(fault.notes), 'faults.notes', 'is a whole number from 1')
      break
    case 'skewed':
      demand(Number.isFinite(fault.seconds), 'faults.seconds', 'is a number of seconds')
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1
}

function demand(holds: boolean, option: string, rule: string): void {
  if (!holds) throw wrong(option, rule)
}

function wrong(option: string, rule: string): OptionError {
  return new OptionError(option, `${option} ${rule}.`)
}
