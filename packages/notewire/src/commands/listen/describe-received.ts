import type { WebhookEvent } from '@notewire/protocol'
import type { Output } from '../../terminal/output.ts'
import { cut, printable, wrap } from '../../terminal/width.ts'
import type { Received } from './receive.ts'

/** A delivery for a program, without the signature. Of the body it contains only the fields that the contract defines. */
export function receivedRecord({ at, tookMs, arrival, judgement, forwarding, answered }: Received): object {
  const { refusal, outcome, isVerified } = judgement
  const event = outcome?.event
  return {
    received_at: new Date(at).toISOString(),
    took_ms: tookMs,
    webhook_id: [arrival.headers['webhook-id']].flat()[0],
    verification: isVerified ? 'verified' : 'refused',
    reason: refusal?.reason,
    detail: refusal?.detail,
    event_id: event?.event_id,
    event_type: event?.event_type,
    data: event?.data,
    outcome: outcome?.status,
    forwarded: forwarding,
    answered,
  }
}

export function receivedLines(received: Received, { paint, width }: Output): readonly string[] {
  const { at, judgement, forwarding, answered } = received
  const { refusal, outcome, isVerified } = judgement
  const time = new Date(at).toISOString().slice(11, 19)
  // A verified delivery that was not accepted is not a success.
  const genuine = answered < 300 ? paint('green', '✓') : paint('yellow', '!')
  const mark = isVerified ? genuine : paint('red', '✗')
  const what = outcome === undefined ? wordsWithoutEvent(received) : eventWords(outcome.event)
  const status = paint(answered < 300 ? 'green' : 'red', String(answered))
  const head = `${paint('dim', time)}  ${mark}  ${status}  ${cut(what, width - 18)}`
  const more = [
    refusal === undefined ? undefined : paint('red', `${refusal.reason}: ${refusal.detail}`),
    outcome?.status === 'duplicate' ? 'a duplicate: it arrived before' : undefined,
    outcome?.status === 'stale' ? staleWords(outcome.event, outcome.appliedRevision) : undefined,
    forwarding === undefined ? undefined : forwardingWords(forwarding),
  ]
  return [head, ...more.flatMap((line) => (line === undefined ? [] : wrap(line, width, ' '.repeat(13))))]
}

function wordsWithoutEvent({ arrival, judgement }: Received): string {
  if (judgement.refusal !== undefined) return 'refused'
  if (judgement.isVerified) return 'signed, but the body is not a notification'
  const path = printable(`${arrival.method} ${arrival.path}`)
  return judgement.answer.status === 404 ? `${path}: not the path or method of the receiver` : `${path}: rejected`
}

function staleWords({ data }: WebhookEvent, appliedRevision: number | undefined): string {
  const { revision } = data as { readonly revision?: number }
  return Number(revision) > (appliedRevision ?? -1)
    ? 'stale: the note was deleted, and the event does not say that it occurred later'
    : `stale: the note is at revision ${appliedRevision} already`
}

function eventWords({ event_type, data }: WebhookEvent): string {
  const facts: Readonly<Record<string, unknown>> = { ...data }
  const id = facts['note_id'] ?? facts['endpoint_id'] ?? ''
  const revision = facts['revision'] === undefined ? '' : `  rev ${facts['revision']}`
  const reason = typeof facts['reason'] === 'string' ? `  ${facts['reason']}` : ''
  return printable(`${event_type.padEnd(22)}  ${id}${revision}${reason}`)
}

function forwardingWords(forwarding: NonNullable<Received['forwarding']>): string {
  if ('problem' in forwarding) return `not forwarded: ${forwarding.problem}`
  return forwarding.status < 300
    ? `forwarded: ${forwarding.status}`
    : `forwarded, and rejected there: ${forwarding.status}`
}
