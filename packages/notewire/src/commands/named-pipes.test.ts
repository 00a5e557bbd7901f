import { execFileSync, spawn } from 'node:child_process'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { signAttempt } from '@notewire/webhooks/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp, leave } from '../../fixtures/leftovers.ts'
import { prepared } from '../../fixtures/prepared.ts'
import { runNotewire, startNotewire } from '../../fixtures/run-notewire.ts'
import { aSecret } from '../../fixtures/secrets.ts'
import { temporaryFolder } from '../../fixtures/temporary-folder.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterEach(cleanUp)

const makePipe = (path: string) => execFileSync('mkfifo', [path])

const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['search', 'budget'],
  ['explain', 'note_1'],
  ['export', 'notes'],
  ['export', '-', '--format', 'jsonl'],
  ['pull'],
]

describe('a named pipe in place of the copy does not block', () => {
  it.each(COMMANDS)('%s %s', async (...args) => {
    const { env, cwd } = await prepared(1)
    makePipe(join(cwd, 'notes.db'))
    const { exitCode, stderr } = await runNotewire(args, { cwd, env })
    expect(exitCode).toBe(1)
    expect(unwrapped(stderr)).toMatch(/notes\.db is a named pipe, not a file.*\[database_malformed\]/)
  })
})

describe.each(['-wal', '-shm'])('a named pipe in place of notes.db%s does not block', (suffix) => {
  it.each([['status'], ['pull']])('%s', async (...args) => {
    const { env, cwd } = await prepared(1)
    await runNotewire(['pull'], { cwd, env })
    makePipe(join(cwd, `notes.db${suffix}`))
    const { exitCode, stderr } = await runNotewire(args, { cwd, env })
    expect(exitCode).toBe(1)
    expect(unwrapped(stderr)).toContain(`notes.db${suffix} is a named pipe`)
  })
})

it.each(['/dev/zero', '/dev/stdin'])('%s is not opened as a copy', async (database) => {
  const { exitCode } = await runNotewire(['status', '--database', database])
  expect(exitCode).toBe(1)
})

describe('export --format jsonl', () => {
  it.each(['pipe', '/dev/zero', '/dev/full'])('does not write into %s', async (target) => {
    const { env, cwd } = await prepared(1)
    makePipe(join(cwd, 'pipe'))
    await runNotewire(['pull'], { cwd, env })
    const { exitCode, stderr } = await runNotewire(['export', target, '--format', 'jsonl'], { cwd })
    expect(exitCode).toBe(1)
    expect(unwrapped(stderr)).toContain('is a pipe or a device, and export writes only into files')
  })

  it('replaces a file of a note that became a named pipe', async () => {
    const { env, cwd } = await prepared(1)
    await runNotewire(['export', 'notes', '--pull'], { cwd, env })
    const [name = ''] = execFileSync('ls', [join(cwd, 'notes')], { encoding: 'utf8' }).split('\n')
    await rename(join(cwd, 'notes', name), join(cwd, 'kept'))
    makePipe(join(cwd, 'notes', name))
    const { exitCode, stderr } = await runNotewire(['export', 'notes'], { cwd })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('export_in_the_way') })
  })
})

describe('verify', () => {
  const env = { NOTES_SIGNING_SECRET: aSecret }
  const captured = async () =>
    JSON.stringify(await signAttempt(aSecret, JSON.stringify({ event_type: 'endpoint.test' })))

  it('reads what a command prints: <(command)', async () => {
    const cwd = await temporaryFolder()
    await writeFile(join(cwd, 'delivery.json'), await captured())
    const { exitCode, stdout, stderr } = await runNotewire(['verify', '/dev/fd/63'], {
      cwd,
      env,
      under: ['bash', '-c', 'exec "$@" 63< <(sleep 1; cat delivery.json)', 'bash'],
    })
    expect({ exitCode, stderr }, stdout).toEqual({ exitCode: 0, stderr: '' })
  })

  it('waits for a process that opens a named pipe later', async () => {
    const cwd = await temporaryFolder()
    makePipe(join(cwd, 'pipe'))
    await writeFile(join(cwd, 'delivery.json'), await captured())
    const { ended } = startNotewire(['verify', 'pipe'], { cwd, env })
    await setTimeout(1_500)
    execFileSync('bash', ['-c', 'cat delivery.json > pipe'], { cwd })
    expect((await ended).exitCode).toBe(0)
  })

  it('ends if nothing comes from a named pipe, and at Ctrl-C', async () => {
    const cwd = await temporaryFolder()
    makePipe(join(cwd, 'pipe'))
    const { child } = startNotewire(['verify', 'pipe'], { cwd, env })
    const interrupted = new Promise((resolve) => child.once('exit', resolve))
    const { exitCode, stderr } = await runNotewire(['verify', 'pipe'], { cwd, env })
    expect(exitCode).toBe(1)
    expect(unwrapped(stderr)).toContain('did not end within 10 s')
    child.kill('SIGINT')
    await interrupted
  })

  it.each(['/dev/zero', '/dev/urandom', '.'])('does not read %s', async (path) => {
    const { exitCode, stderr } = await runNotewire(['verify', path], { env })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('capture_unreadable') })
  })

  it('stops reading stdin at 64 MiB', async () => {
    const { child, ended } = startNotewire(['verify'], { env })
    const zeros = spawn('cat', ['/dev/zero'])
    leave(() => zeros.kill('SIGKILL'))
    zeros.stdout.on('error', () => undefined)
    if (child.stdin !== null) zeros.stdout.pipe(child.stdin)
    const { exitCode, stderr } = await ended
    expect({ exitCode, stderr: unwrapped(stderr) }).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is larger than 64 MiB'),
    })
  })
})
