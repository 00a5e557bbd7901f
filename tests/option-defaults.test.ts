import { NotesClient } from '@notewire/client'
import { expect, it } from 'vitest'
import { resolveNoteHandlersOptions } from '../packages/client/src/note-handlers/note-handlers-options.ts'
import { resolveOptions } from '../packages/client/src/options/notes-client-options.ts'
import { memoryMirror } from '../packages/mirror/fixtures/memory-mirror/memory-mirror.ts'
import { resolveMirrorOptions, resolveMirrorsOptions } from '../packages/mirror/src/engine/resolve-options.ts'
import type { WorkSettings } from '../packages/mirror/src/engine/work-settings.ts'
import { serviceOptionsSchema } from '../packages/mock-server/src/service/service-options.ts'
import { listenOptionsSchema } from '../packages/mock-server/src/transports/service-port.ts'
import { contractSchema } from '../packages/mock-server/src/variants/contract-variants.ts'
import { resolveReceiverOptions } from '../packages/webhooks/src/options/resolve-options.ts'
import { type DocumentedDefault, defaultsInCode, documentedDefaults } from './option-defaults/defaults-in-sources.ts'

const ACCESS = { baseUrl: 'https://notes.example', apiKey: 'ntw_live_k1.secret' }
const ignore = () => undefined
const listed = ({ keep, policy, ...settings }: WorkSettings) => ({
  ...settings,
  keep: [...keep],
  concurrency: policy.noteConcurrency,
})

const RECEIVER = resolveReceiverOptions({ secret: 'whsec_', on: {} })

/** What the options of a file are if only those without a default are given. */
const RESOLVED: Readonly<Record<string, object>> = {
  'packages/client/src/options/notes-client-options.ts': resolveOptions(ACCESS),
  'packages/client/src/note-handlers/note-handlers-options.ts': resolveNoteHandlersOptions({
    changed: ignore,
    removed: ignore,
  }),
  'packages/mirror/src/options.ts': listed(
    resolveMirrorOptions({ client: new NotesClient(ACCESS), store: memoryMirror() }),
  ),
  'packages/mirror/src/engine/mirrors-options.ts': listed(
    resolveMirrorsOptions({ connect: () => ACCESS, store: memoryMirror() }),
  ),
  'packages/mock-server/src/service/service-options.ts': serviceOptionsSchema.parse({}),
  'packages/mock-server/src/transports/service-port.ts': listenOptionsSchema.parse({}),
  'packages/mock-server/src/variants/contract-variants.ts': contractSchema.parse({}),
  'packages/webhooks/src/options/receiver-options.ts': RECEIVER,
  'packages/webhooks/src/verifier/verifier.ts': RECEIVER,
}

/** The code does not fill these in. */
const LEFT_OUT = new Map([
  ['include_deleted', 'The service decides.'],
  ['migrate', 'Only `false` has an effect.'],
])

it('reads the docstrings', () => {
  expect(documentedDefaults().length).toBeGreaterThan(80)
})

it.each(documentedDefaults().filter(({ option }) => !LEFT_OUT.has(option)))(
  'the docstring of $option ($file) names its default',
  ({ file, option, value }) => {
    const used = usedFor({ file, option })
    expect(used).not.toEqual([])
    expect(new Set(used.map((each) => JSON.stringify(each)))).toEqual(new Set([JSON.stringify(value)]))
  },
)

function usedFor({ file, option }: Omit<DocumentedDefault, 'value'>): readonly unknown[] {
  const settings = Object.entries(RESOLVED[file] ?? {}).filter(([name]) => name === option)
  return settings.length > 0 ? settings.map(([, value]) => value) : defaultsInCode(file, option)
}
