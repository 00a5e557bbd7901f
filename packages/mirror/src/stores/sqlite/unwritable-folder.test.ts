import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mirroredService } from '../../../fixtures/mirrored-service.ts'
import { MOUNTS } from '../../../fixtures/stores/sqlite/small-disk.ts'
import { sqliteMirror } from './sqlite-mirror.ts'

const READ_COPY = join(import.meta.dirname, '../../../fixtures/stores/sqlite/read-copy.ts')

/** Without these capabilities, root obeys the modes of files. */
const AS_USER = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] : []

const run = (...[program = '', ...args]: readonly string[]) => spawnSync(program, args).status === 0

/** Shows every tmpfs as nfs4: this machine has no network file system. */
const AS_NETWORK = `--import=data:text/javascript,${encodeURIComponent(`
  const fs = process.getBuiltinModule('node:fs')
  const { readFileSync } = fs
  fs.readFileSync = (...args) => {
    const content = readFileSync(...args)
    return args[0] === '/proc/self/mountinfo' ? content.replaceAll(' - tmpfs ', ' - nfs4 ') : content
  }
`)}`

describe('openMirror in a folder that cannot be written', () => {
  it('reads what another process writes meanwhile', async () => {
    await using writer = await aWriter()
    chmodSync(writer.folder, 0o555)
    const reader = startReader(writer.path)
    expect(await reader.next()).toEqual(['First'])
    writer.service.owner.record({ title: 'Second' }).end()
    await writer.mirror.sync()
    expect(await reader.next()).toEqual(['First', 'Second'])
  })

  it('is refused if no process has the copy open, because a process that opens it later would not be noticed', async () => {
    const { folder, path } = await closedCopy()
    chmodSync(folder, 0o555)
    expect(await startReader(path).next()).toBe('sqlite_folder_readonly')
  })

  it('reads the copy on a read-only file system', MOUNTS, async () => {
    const { path } = await closedCopy()
    const disk = mounted('-t', 'tmpfs', 'tmpfs')
    copyFileSync(path, join(disk, 'notes.db'))
    expect(run('mount', '-o', 'remount,ro', disk)).toBe(true)
    expect(await startReader(join(disk, 'notes.db')).next()).toEqual(['First'])
  })

  it('is refused on a read-only file system of a network, which another machine may write', MOUNTS, async () => {
    const { path } = await closedCopy()
    const disk = mounted('-t', 'tmpfs', 'tmpfs')
    copyFileSync(path, join(disk, 'notes.db'))
    expect(run('mount', '-o', 'remount,ro', disk)).toBe(true)
    expect(await startReader(join(disk, 'notes.db'), AS_NETWORK).next()).toBe('sqlite_folder_readonly')
  })

  it('reads what another process writes, if only the mount is read-only', MOUNTS, async () => {
    await using writer = await aWriter()
    const mount = mounted('--bind', writer.folder)
    expect(run('mount', '-o', 'remount,bind,ro', mount)).toBe(true)
    const reader = startReader(join(mount, 'notes.db'))
    expect(await reader.next()).toEqual(['First'])
    writer.service.owner.record({ title: 'Second' }).end()
    await writer.mirror.sync()
    expect(await reader.next()).toEqual(['First', 'Second'])
  })

  it('is refused if only the mount is read-only, and no process has the copy open', MOUNTS, async () => {
    const { folder, path } = await closedCopy()
    const mount = mounted('--bind', folder)
    expect(run('mount', '-o', 'remount,bind,ro', mount)).toBe(true)
    expect(existsSync(`${path}-wal`)).toBe(false)
    expect(await startReader(join(mount, 'notes.db')).next()).toBe('sqlite_folder_readonly')
  })
})

/** A mirror of one note, whose store is open. */
async function aWriter() {
  const folder = mkdtempSync(join(tmpdir(), 'notewire-unwritable-'))
  const path = join(folder, 'notes.db')
  const store = sqliteMirror(path)
  const world = await mirroredService({}, { store })
  world.service.owner.record({ title: 'First' }).end()
  await world.mirror.sync()
  return {
    ...{ folder, path, service: world.service, mirror: world.mirror },
    close: () => store.close(),
    async [Symbol.asyncDispose]() {
      chmodSync(folder, 0o755)
      store.close()
      await world.service.close()
    },
  }
}

async function closedCopy() {
  const writer = await aWriter()
  writer.close()
  onTestFinished(() => writer[Symbol.asyncDispose]())
  return writer
}

function mounted(...args: readonly string[]): string {
  const place = mkdtempSync(join(tmpdir(), 'notewire-mount-'))
  mkdirSync(place, { recursive: true })
  expect(run('mount', ...args, place)).toBe(true)
  onTestFinished(() => void run('umount', '--lazy', place))
  return place
}

/** Each call of `next` lets the reader read, and returns the titles, or the code of the error. */
function startReader(path: string, ...flags: readonly string[]) {
  const command = [...AS_USER, process.execPath, ...flags, '--conditions=@notewire/source', READ_COPY, path]
  const [program = '', ...args] = command
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let isFirst = true
  return {
    async next(): Promise<unknown> {
      if (!isFirst) child.stdin.write('again\n')
      isFirst = false
      const ended = once(child, 'exit').then(() => ({ value: undefined }))
      const { value } = await Promise.race([lines.next(), ended])
      return value === undefined ? 'the reader ended' : JSON.parse(value)
    },
  }
}
