import type { NotesClient } from '@notewire/client'
import type { Receiver } from '@notewire/webhooks'
import { describe, expectTypeOf, it } from 'vitest'
import { createMirror, type MirrorChange, type MirrorChangeKind, type MirroredNote, type MirrorStore } from './index.ts'

declare const client: NotesClient
declare const store: MirrorStore

describe('a mirror', () => {
  const mirror = createMirror({ client, store })

  it('needs a client and a store, and keeps parts that exist', () => {
    // @ts-expect-error without a store
    createMirror({ client })
    // @ts-expect-error no such part
    createMirror({ client, store, keep: ['title'] })
    expectTypeOf(createMirror({ client, store, keep: [], integration: 'team' })).toEqualTypeOf(mirror)
  })

  it('shows notes as they are typed by the protocol', async () => {
    expectTypeOf(await mirror.get('n1')).toEqualTypeOf<MirroredNote | undefined>()
    for await (const { note, summary } of mirror.list()) {
      expectTypeOf(note.revision).toEqualTypeOf<number>()
      expectTypeOf(summary?.markdown).toEqualTypeOf<string | null | undefined>()
    }
  })

  it('makes a receiver that every adapter takes', () => {
    expectTypeOf(mirror.receiver({ secret: 'whsec_x' })).toEqualTypeOf<Receiver>()
    // @ts-expect-error the mirror has handlers of its own
    mirror.receiver({ secret: 'whsec_x', on: {} })
  })

  it('tells changes whose kinds can be switched over', async () => {
    for await (const change of mirror.changes({ after: null })) {
      expectTypeOf(change).toEqualTypeOf<MirrorChange>()
      expectTypeOf(change.kind).toEqualTypeOf<MirrorChangeKind>()
    }
  })

  it('runs until a signal, and not without one', () => {
    // @ts-expect-error nothing would ever end it
    void mirror.run({})
    expectTypeOf(mirror.run).parameter(0).toEqualTypeOf<{ readonly signal: AbortSignal }>()
  })
})
