import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sqliteStore } from './sqlite-store.ts'

const makePipe = (path: string) => execFileSync('mkfifo', [path])

/** Each makes something at a path, and returns what to pass to the store. */
const PLACES: Readonly<Record<string, (path: string) => string>> = {
  'a named pipe': (path) => {
    makePipe(path)
    return path
  },
  'a link to a named pipe': (path) => {
    makePipe(`${path}.pipe`)
    symlinkSync(`${path}.pipe`, path)
    return path
  },
  'the URI of a named pipe': (path) => {
    makePipe(path)
    return pathToFileURL(path).href
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

describe('sqliteStore', OF_UNIX, () => {
  it.each(Object.entries(PLACES))('refuses %s at once', async (_place, prepare) => {
    const store = sqliteStore(prepare(temporaryPath(onTestFinished)))
    await expect(store.migrate()).rejects.toMatchObject({ code: 'sqlite_not_a_file' })
  })

  it.each(['-wal', '-shm', '-journal'])('refuses a database whose %s file is a named pipe', async (suffix) => {
    const path = temporaryPath(onTestFinished)
    const first = sqliteStore(path)
    await first.migrate()
    await first.close()
    makePipe(`${path}${suffix}`)
    const store = sqliteStore(path)
    await expect(store.migrate()).rejects.toMatchObject({
      code: 'sqlite_not_a_file',
      message: expect.stringContaining(`${path}${suffix} is a named pipe`),
    })
  })

  it.each([':memory:', 'file::memory:', 'file:events?mode=memory'])('opens %s', async (path) => {
    const store = sqliteStore(path)
    onTestFinished(() => store.close())
    await store.migrate()
  })
})
