import { SIGNING_SECRET_PREFIX } from '@notewire/protocol'
import { asDefault, incompatible, otherwise, type PointSubject, type ProbedPoint, unseen } from '../point.ts'
import type { ProbeSettings } from '../probe-options.ts'
import type { Wire, WireAnswer } from '../wire.ts'
import { bodyOf, type Fields, isDone, statusInWords } from '../wire-shapes.ts'
import { ENDPOINTS_PATH, endpointIdOf } from './endpoint-points.ts'

const CREATION: PointSubject = { row: 13, title: 'creating an endpoint' }
const FURTHER: PointSubject = { row: 14, title: 'changing, testing, rotating and deleting' }
const KINDS: PointSubject = { row: 11, title: 'endpoint.* kinds in a subscription' }

/** What the probe learnt by creating endpoints, and one of them as it was answered: without its secret. */
export interface CreationFindings {
  readonly points: readonly ProbedPoint[]
  readonly created: Fields | undefined
}

/**
 * Creates an endpoint, looks at it and deletes it, then another one (open points 11, 13 and 14). What it created it deletes,
 * whatever happens.
 *
 * @param list  the answer to the request for all endpoints
 */
export async function creationPoints(
  wire: Wire,
  settings: ProbeSettings,
  list: WireAnswer | undefined,
): Promise<CreationFindings> {
  const reason = whyNot(settings, list)
  if (reason !== undefined) {
    return { points: [CREATION, FURTHER, KINDS].map((subject) => unseen(subject, reason)), created: undefined }
  }
  const usual = await withEndpoint(wire, settings, ['note.deleted'], async (answer, path) => [
    creation(answer),
    await further(wire, path),
  ])
  const kinds = await withEndpoint(wire, settings, ['note.deleted', 'endpoint.test'], async (answer) => [
    subscription(answer),
  ])
  return { points: [...usual.points, ...kinds.points], created: usual.created }
}

function whyNot({ write }: ProbeSettings, list: WireAnswer | undefined): string | undefined {
  if (!write) return 'nothing is created without --write'
  if (list?.status === 403) return 'the key may not manage endpoints'
  // Where endpoints cannot be listed, they are not likely to be deletable, and one would be left behind.
  return isDone(list) ? undefined : 'endpoints cannot be listed, and what is created might not be deleted again'
}

async function withEndpoint(
  wire: Wire,
  { endpointUrl }: ProbeSettings,
  events: readonly string[],
  look: (answer: WireAnswer, path: string) => Promise<readonly ProbedPoint[]>,
): Promise<CreationFindings> {
  const answer = await wire.ask({
    method: 'POST',
    path: ENDPOINTS_PATH,
    body: { url: endpointUrl, events },
    creates: true,
  })
  if (answer === undefined) {
    const why = 'no answer came: look in the console for an endpoint that was created all the same'
    return { points: [unseen(CREATION, why)], created: undefined }
  }
  const id = endpointIdOf(bodyOf(answer))
  const path = `${ENDPOINTS_PATH}/${encodeURIComponent(id ?? '')}`
  const points: ProbedPoint[] = []
  try {
    points.push(...(await look(answer, path)))
  } finally {
    if (isDone(answer)) points.push(...(await remove(wire, id, path)))
  }
  const { signing_secret: _secret, ...created } = bodyOf(answer)
  return { points, created: isDone(answer) ? created : undefined }
}

/** @returns a point that tells of what is left behind; none, when nothing is */
async function remove(wire: Wire, id: string | undefined, path: string): Promise<readonly ProbedPoint[]> {
  const answer = id === undefined ? undefined : await wire.ask({ method: 'DELETE', path, isCleaning: true })
  if (isDone(answer) || answer?.status === 404) return []
  const title = 'deleting the endpoint of the probe'
  const which = id !== undefined && /^[\w.-]{1,80}$/.test(id) ? ` (${id})` : ''
  return [incompatible({ row: 14, title }, 'it could not be deleted', `Delete it in the account console${which}.`)]
}

function creation(answer: WireAnswer): ProbedPoint {
  if (!isDone(answer)) {
    const seen = `refused with ${statusInWords(answer)}`
    return unseen(CREATION, `${seen}. Name a public HTTPS URL of yours with --endpoint-url`)
  }
  const { signing_secret } = bodyOf(answer)
  const secret = typeof signing_secret === 'string' ? signing_secret : ''
  if (/^[\w-]+=*$/.test(secret) && secret.startsWith(SIGNING_SECRET_PREFIX)) {
    return asDefault(CREATION, `${answer.status}, with a signing secret of the form of the contract`)
  }
  const advice = 'The receiver needs "whsec_" and base64url (contract §2). Without it, nothing can be verified.'
  return incompatible(CREATION, `${answer.status}, without a signing secret of the form of the contract`, advice)
}

/** What the client calls, besides creating and listing. */
async function further(wire: Wire, path: string): Promise<ProbedPoint> {
  const asked = [
    ['reading', await wire.ask({ path })],
    ['changing', await wire.ask({ method: 'PATCH', path, body: { events: ['note.deleted', 'note.ended'] } })],
    ['testing', await wire.ask({ method: 'POST', path: `${path}/test` })],
    ['rotating', await wire.ask({ method: 'POST', path: `${path}/rotate-secret` })],
  ] as const
  const missing = asked.filter(([, answer]) => answer !== undefined && !isDone(answer))
  if (missing.length === 0) return asDefault(FURTHER, 'all of them are offered')
  const seen = missing.map(
    ([name, answer]) => `${name} is answered ${answer === undefined ? '' : statusInWords(answer)}`,
  )
  return otherwise(
    FURTHER,
    seen.join(', '),
    'These methods of client.webhookEndpoints do not work. Use the account console.',
  )
}

function subscription(answer: WireAnswer): ProbedPoint {
  if (!isDone(answer)) return asDefault(KINDS, `refused with ${statusInWords(answer)}`)
  const advice = 'They come to every endpoint anyway. There is nothing to set.'
  return otherwise(KINDS, 'accepted', advice, { endpointKinds: 'accepted' })
}
