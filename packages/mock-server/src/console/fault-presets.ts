import type { DeliveryFault, RequestFault } from '../faults/fault-rule.ts'

/** Something that can be chosen to go wrong. */
interface Preset<Fault> {
  readonly label: string
  readonly fault: Fault
}

/** What can go wrong with a request to the API, by the name that its form sends. */
export const REQUEST_FAULTS: Readonly<Record<string, Preset<RequestFault>>> = {
  too_many: { label: '429, try again in 2 s', fault: { kind: 'status', status: 429, retryAfter: 2 } },
  failing: { label: '500', fault: { kind: 'status', status: 500 } },
  unavailable: { label: '503', fault: { kind: 'status', status: 503 } },
  slow: { label: 'Answered 5 s late', fault: { kind: 'latency', by: '5s' } },
  hanging: { label: 'Answered two minutes late', fault: { kind: 'latency', by: '2m' } },
  truncated: { label: 'The second half of the answer is missing', fault: { kind: 'truncated' } },
  malformed: { label: 'The answer is no JSON', fault: { kind: 'malformed' } },
  request_dropped: { label: 'The connection breaks before it arrives', fault: { kind: 'dropped', lost: 'request' } },
  answer_dropped: { label: 'The connection breaks after it was done', fault: { kind: 'dropped', lost: 'answer' } },
  empty_page: { label: 'An empty page, with more to follow', fault: { kind: 'empty_page' } },
  short_page: { label: 'A page of a single note', fault: { kind: 'short_page' } },
}

/** What can go wrong with an attempt at a receiver, by the name that its form sends. */
export const DELIVERY_FAULTS: Readonly<Record<string, Preset<DeliveryFault>>> = {
  duplicated: { label: 'Arrives twice', fault: { kind: 'duplicated' } },
  reordered: { label: 'Is overtaken by the next', fault: { kind: 'reordered' } },
  delayed: { label: 'Leaves a minute late', fault: { kind: 'delayed', by: '1m' } },
  request_lost: { label: 'Is lost before the receiver sees it', fault: { kind: 'lost', lost: 'request' } },
  answer_lost: { label: 'Is handled, and the answer lost', fault: { kind: 'lost', lost: 'answer' } },
  corrupted: { label: 'One character of the body is another', fault: { kind: 'corrupted' } },
  old_secret: { label: 'Signed with the secret before the rotation', fault: { kind: 'old_secret' } },
  late: { label: 'Stamped ten minutes ago', fault: { kind: 'skewed', seconds: -600 } },
  early: { label: 'Stamped ten minutes ahead', fault: { kind: 'skewed', seconds: 600 } },
}
