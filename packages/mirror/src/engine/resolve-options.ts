import { refuseUnknownOptions } from '@notewire/protocol'
import { LocalListeners } from '../concurrency/local-listeners.ts'
import { LocalWork } from '../concurrency/local-work.ts'
import { workerName } from '../concurrency/worker-name.ts'
import { HOOKS } from '../hooks.ts'
import {
  ALIASES,
  DEFAULT_SCHEDULE,
  MIRROR_OPTIONS,
  type MirrorOptions,
  mirrorLog,
  PARTS,
  refuseClock,
  requireClient,
  requireCount,
  requireFunction,
  requireIntegration,
  requireParts,
  requireStore,
} from '../options.ts'
import { connectEach, connectWith } from './connection.ts'
import { Integrations } from './integrations.ts'
import type { MirrorsOptions } from './mirrors-options.ts'
import { policyOfMany, policyOfOne } from './policies.ts'
import type { WorkSettings } from './work-settings.ts'

/** How long the log of many mirrors collects what happens to several integrations for one line, in milliseconds. */
const COLLECT_MS = 5_000

const MIRRORS_OPTIONS: Readonly<Record<keyof MirrorsOptions, true>> = {
  store: true,
  connect: true,
  keep: true,
  pollEveryMs: true,
  fullListingEveryMs: true,
  hooks: true,
  logger: true,
  logErrorMessages: true,
}

/** @throws OptionError with the first invalid option, and the fix */
export function resolveMirrorOptions(options: MirrorOptions): WorkSettings & { readonly integration: string } {
  refuseClock(options)
  refuseUnknownOptions('createMirror', options, MIRROR_OPTIONS, ALIASES)
  const integration = requireIntegration(options.integration ?? 'default')
  const client = requireClient(options.client)
  const pollEveryMs = requireCount('pollEveryMs', options.pollEveryMs ?? DEFAULT_SCHEDULE.pollEveryMs)
  const noteConcurrency = requireCount('concurrency', options.concurrency ?? 8)
  return {
    ...sharedSettings(options, 0),
    integration,
    pollEveryMs,
    connect: connectWith(client),
    integrations: new Integrations(options.store.integrations, true),
    policy: policyOfOne(pollEveryMs, noteConcurrency),
  }
}

/** @throws OptionError with the first invalid option, and the fix */
export function resolveMirrorsOptions(options: MirrorsOptions): WorkSettings {
  refuseClock(options)
  refuseUnknownOptions('createMirrors', options, MIRRORS_OPTIONS, ALIASES)
  const shared = sharedSettings(options, COLLECT_MS)
  const pollEveryMs = requireCount('pollEveryMs', options.pollEveryMs ?? DEFAULT_SCHEDULE.pollEveryMs)
  const access = requireFunction('connect', options.connect, 'Pass a function that returns { baseUrl, apiKey }.')
  return {
    ...shared,
    pollEveryMs,
    connect: connectEach(access),
    integrations: new Integrations(shared.store.integrations, false),
    policy: policyOfMany(pollEveryMs),
  }
}

/**
 * Validates the options that `createMirror` and `createMirrors` have in common.
 *
 * @param collectMs  how long the log collects what happens for one line, in milliseconds
 */
function sharedSettings(
  options: Pick<MirrorOptions, 'store' | 'hooks' | 'keep' | 'fullListingEveryMs' | 'logger' | 'logErrorMessages'>,
  collectMs: number,
): Omit<WorkSettings, 'integrations' | 'pollEveryMs' | 'connect' | 'policy'> {
  const hooks = options.hooks ?? {}
  refuseUnknownOptions('hooks', hooks, HOOKS)
  const store = requireStore(options.store)
  const { clock } = store
  return {
    store,
    clock,
    keep: requireParts(options.keep ?? PARTS),
    fullListingEveryMs: requireCount(
      'fullListingEveryMs',
      options.fullListingEveryMs ?? DEFAULT_SCHEDULE.fullListingEveryMs,
    ),
    hooks,
    log: mirrorLog(options, clock, collectMs),
    worker: workerName(),
    work: new LocalWork(),
    changes: new LocalListeners(),
    hints: new LocalListeners(),
  }
}
