import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mirroredService } from '../../../fixtures/mirrored-service.ts'
import { createMirror, openMirror } from '../../index.ts'
import { sqliteMirror } from './sqlite-mirror.ts'

/** Each makes something at a path, and returns what to pass to the store. */
const PLACES: Readonly<Record<string, (path: string) => string>> = {
  'a named pipe': (path) => {
    execFileSync('mkfifo', [path])
    return path
  },
  'a folder': (path) => {
    mkdirSync(path)
    return path
  },
  'a socket': (path) => {
    execFileSync('python3', ['-c', 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])', path])
    return path
  },
  'a device without an end': () => '/dev/zero',
}

const OF_UNIX = { skip: process.platform === 'win32', meta: { skippedBecause: 'Windows has no such files' } }

describe.each(Object.entries(PLACES))('%s as the file of a mirror', OF_UNIX, (_, make) => {
  it('is refused by openMirror at once', async () => {
    const mirror = openMirror({ store: sqliteMirror(make(temporaryPath(onTestFinished))) })
    await expect(mirror.status()).rejects.toMatchObject({ code: 'sqlite_not_a_file' })
  })

  it('is refused by createMirror at once', async () => {
    await using world = await mirroredService()
    const store = sqliteMirror(make(temporaryPath(onTestFinished)))
    const mirror = createMirror({ client: world.client, store })
    await expect(mirror.sync()).rejects.toMatchObject({ code: 'sqlite_not_a_file' })
  })
})
