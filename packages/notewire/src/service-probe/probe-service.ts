import { NotesClient } from '@notewire/client'
import type { ContractVariants } from '@notewire/mock-server'
import { keyIdOf } from '@notewire/protocol'
import type { ProbedPoint } from './point.ts'
import { contentPoints } from './points/content-points.ts'
import { creationPoints } from './points/creation-points.ts'
import { ENDPOINTS_PATH, endpointPoints } from './points/endpoint-points.ts'
import { errorPoints } from './points/error-points.ts'
import { listPoints } from './points/list-points.ts'
import { notePoints } from './points/note-points.ts'
import { pagingPoints } from './points/paging-points.ts'
import { scopePoints } from './points/scope-points.ts'
import { timePoints } from './points/time-points.ts'
import { pointsBeyondAsking } from './points/unseen-points.ts'
import { resolveProbeOptions, type ServiceProbeOptions } from './probe-options.ts'
import { takeSample } from './sample.ts'
import { Wire } from './wire.ts'

/** What a probe of a service found. Nothing of it holds the key or a word of a note. */
export interface ServiceReport {
  readonly baseUrl: string
  /** The part of the key that may be shown; `null` for a key of another form. */
  readonly keyId: string | null
  /** How many requests were sent. */
  readonly requests: number
  /** By row of `open-points.md`. */
  readonly points: readonly ProbedPoint[]
  /** What to make a `NotesClient` with, beside the key. */
  readonly clientOptions: { readonly baseUrl: string; readonly notesField?: string }
  /** What to give the reference service so that it plays this one: `createNotesService({ contract })`. */
  readonly contract: ContractVariants
  /** Whether everything that was seen works with Notewire. */
  readonly fits: boolean
}

/**
 * Asks a service about the open points of the contract, as far as they can be seen from outside, and tells which of Notewire's
 * options fit it. It only reads, unless `write` lets it create an endpoint and delete it again.
 *
 * @throws `OptionError` for a base URL or a key that cannot be one
 * @throws ProbeError when its list of notes cannot be read; what `fetch` throws when it cannot be reached
 */
export async function probeService(options: ServiceProbeOptions): Promise<ServiceReport> {
  const settings = resolveProbeOptions(options)
  // Refuses what no client could be made with, before the key is sent anywhere.
  const { keyId } = new NotesClient({ baseUrl: options.baseUrl, apiKey: options.apiKey })
  const wire = new Wire(settings)
  const sample = await takeSample(wire, settings)
  const endpoints = await wire.ask({ path: ENDPOINTS_PATH })
  const creation = await creationPoints(wire, settings, endpoints)
  const points = [
    ...listPoints(sample),
    ...(await pagingPoints(wire, sample)),
    ...(await timePoints(wire, sample)),
    ...(await notePoints(wire, sample)),
    ...(await contentPoints(wire, sample)),
    ...(await endpointPoints(wire, endpoints, creation.created)),
    ...creation.points,
    ...(await errorPoints(wire, sample, settings)),
    ...scopePoints(sample.listAnswer, endpoints),
    ...pointsBeyondAsking(),
  ].sort(byRow)
  const contract = Object.assign({}, ...points.map((point) => point.contract)) as ContractVariants
  return {
    baseUrl: settings.baseUrl,
    keyId: keyId ?? keyIdOf(options.apiKey) ?? null,
    requests: wire.sent,
    points,
    clientOptions: {
      baseUrl: settings.baseUrl,
      ...(contract.notesField === undefined ? {} : { notesField: contract.notesField }),
    },
    contract,
    fits: points.every(({ verdict }) => verdict !== 'incompatible'),
  }
}

function byRow({ row: one }: ProbedPoint, { row: other }: ProbedPoint): number {
  return (one ?? Number.POSITIVE_INFINITY) - (other ?? Number.POSITIVE_INFINITY) || 0
}
