import { once } from 'node:events'
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import type { NoteEndedEvent } from '@notewire/protocol'
import { createReceiver } from '@notewire/webhooks'
import { nodeHandler } from '@notewire/webhooks/node'
import { createVerifier } from '@notewire/webhooks/verify'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp, leave } from '../../fixtures/leftovers.ts'
import { mockService } from '../../fixtures/mock-service.ts'
import { readOnlyFolder } from '../../fixtures/read-only-folder.ts'
import { type RunOptions, startInTerminal, startNotewire } from '../../fixtures/run-notewire.ts'
import { anotherSecret, aSecret } from '../../fixtures/secrets.ts'
import { temporaryFolder } from '../../fixtures/temporary-folder.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterEach(cleanUp)

const LOCAL = ['--base-url', 'http://127.0.0.1:0']

describe('listen --forward-to without a key', () => {
  it('leads from an empty folder to an application that gets events at the press of a key', async () => {
    const cwd = await temporaryFolder()
    const app = await application(204)
    await app.stop()
    const running = inTerminal(['--forward-to', app.url, ...LOCAL], { cwd })
    await running.saw(/Write NOTES_BASE_URL, NOTES_API_KEY, NOTES_SIGNING_SECRET to \.env\?/)
    running.type('y')
    await running.saw(/not forwarded: nothing listens there[\s\S]*has not accepted the verification/)

    await app.start()
    await running.saw(/204.*endpoint\.verification/)
    running.type('e')
    const [, noteId] = await running.saw(/204.* note\.ended +(note_\w+)/)
    running.type('u')
    await running.saw(new RegExp(`204.* note\\.updated +${noteId}`))
    running.type('d')
    await running.saw(new RegExp(`204.* note\\.deleted +${noteId}`))
    running.type('t')
    await running.saw(/204.* endpoint\.test/)
    running.type('?')
    await running.saw(/Keys: [\s\S]*Keys: e end a note/)
    running.type('q')
    const { exitCode, stdout } = await running.ended
    expect(exitCode).toBe(0)

    const printed = linesOf(stdout)
    const session = await sessionOnPage()
    expect(session.at(-1)).toBe('Stopped.')
    let position = -1
    for (const line of session) {
      position = printed.indexOf(line, position + 1)
      expect(position, `${line}, in:\n${printed.join('\n')}`).toBeGreaterThan(-1)
    }

    const { NOTES_SIGNING_SECRET: secret = '' } = await variablesIn(cwd)
    const verify = createVerifier({ secret })
    for (const { body, headers } of app.received)
      expect(await verify(body, headers)).toMatchObject({ status: 'verified' })
    expect(app.received.length).toBeGreaterThan(4)
  })

  it('asks nothing the second time, because it uses the key and the secret that it made up', async () => {
    const cwd = await temporaryFolder()
    const app = await application(204)
    const first = started(['--forward-to', app.url, '--base-url', 'http://127.0.0.1:0', '--yes'], { cwd })
    await first.saw(/forwarded: 204/)
    first.child.kill('SIGINT')
    expect((await first.ended).exitCode).toBe(0)
    const before = await readFile(join(cwd, '.env'), 'utf8')
    const second = inTerminal(['--forward-to', app.url], { cwd })
    await second.saw(/forwarded: 204/)
    second.type('\u0003')
    const { exitCode, stdout } = await second.ended
    expect(exitCode).toBe(0)
    expect(stdout).not.toContain('.env')
    expect(await readFile(join(cwd, '.env'), 'utf8')).toBe(before)
  })

  it('sends new notes and events in each session, so that an application that keeps its store handles them', async () => {
    const cwd = await temporaryFolder()
    const handled: string[] = []
    const app = await handlingApplication(cwd, ({ event_id }) => handled.push(event_id))
    const args = ['--forward-to', app.url, ...LOCAL]
    for (const session of [1, 2]) {
      const running = inTerminal([...args, '--yes'], { cwd })
      await running.saw(/204.*endpoint\.verification/)
      running.type('e')
      await running.saw(/forwarded: 204[\s\S]*204.* note\.ended +note_\w+[\s\S]*forwarded: 204/)
      running.type('q')
      await running.ended
      expect(new Set(handled).size).toBe(session)
    }
  })

  it.each([
    ['NOTES_API_KEY', 'ntw_live_k7.another'],
    ['NOTES_SIGNING_SECRET', aSecret],
  ])('works from its .env if the environment has another %s', async (name, value) => {
    const cwd = await temporaryFolder()
    const app = await application(204)
    const first = started(['--forward-to', app.url, ...LOCAL, '--yes'], { cwd })
    await first.saw(/forwarded: 204/)
    first.child.kill('SIGINT')
    await first.ended
    const second = started(['--forward-to', app.url], { cwd, env: { [name]: value } })
    await second.saw(/forwarded: 204[\s\S]*A mock notes service runs here/)
  })

  it('writes to .env if the user only presses Enter, unless a line would be replaced', async () => {
    const cwd = await temporaryFolder()
    const started = inTerminal(['--forward-to', 'http://127.0.0.1:1', ...LOCAL], { cwd })
    await started.saw(/to \.env\?/)
    started.type('\r')
    await started.saw(/Wrote NOTES_BASE_URL, NOTES_API_KEY, NOTES_SIGNING_SECRET to \.env\./)
    started.type('q')
    await started.ended

    const other = await temporaryFolder()
    const content = `NOTES_SIGNING_SECRET=${aSecret}\n`
    await writeFile(join(other, '.env'), content)
    const service = await mockService()
    const replacing = inTerminal(['--forward-to', 'http://127.0.0.1:1'], { cwd: other, env: service.env })
    await replacing.saw(/This[\s│]+replaces[\s│]+NOTES_SIGNING_SECRET/)
    replacing.type('\r')
    await replacing.saw(/Keys: /)
    replacing.type('q')
    await replacing.ended
    expect(await readFile(join(other, '.env'), 'utf8')).toBe(content)
  })

  it('writes nothing after a no, and prints the settings instead', async () => {
    const cwd = await temporaryFolder()
    const app = await application(204)
    const running = inTerminal(['--forward-to', app.url, ...LOCAL], { cwd })
    await running.saw(/to \.env\?/)
    running.type('n')
    await running.saw(/NOTES_SIGNING_SECRET=whsec_[\s\S]*forwarded: 204/)
    running.type('q')
    await running.ended
    await expect(stat(join(cwd, '.env'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('without a terminal prints what to put into .env, as text or as JSON, and takes no keys', async () => {
    const cwd = await temporaryFolder()
    const app = await application(204)
    const text = started(['--forward-to', app.url, ...LOCAL], { cwd })
    await text.saw(/NOTES_BASE_URL=http.*\nNOTES_API_KEY=ntw_live_.*\nNOTES_SIGNING_SECRET=whsec_/)
    await text.saw(/forwarded: 204/)
    text.child.kill('SIGINT')
    expect((await text.ended).stderr).not.toContain('Keys:')
    const json = started(['--forward-to', app.url, ...LOCAL, '--json'], { cwd })
    const [line = ''] = await json.saw(/^.*"env".*$/m)
    expect(JSON.parse(line)).toEqual({
      schema_version: 1,
      env: {
        notes_base_url: expect.stringMatching(/^http:\/\/127/),
        notes_api_key: expect.stringMatching(/^ntw_live_/),
        notes_signing_secret: expect.stringMatching(/^whsec_/),
      },
    })
    await expect(stat(join(cwd, '.env'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('keeps the other lines, the comments and the mode of .env', async () => {
    const cwd = await temporaryFolder()
    const app = await application(204)
    const path = join(cwd, '.env')
    await writeFile(path, '# mine\nexport NOTES_API_KEY=\r\nPORT=3000 # of the app\nNAME="a b"')
    await chmod(path, 0o640)
    const running = started(['--forward-to', app.url, ...LOCAL, '--yes'], { cwd })
    await running.saw(/forwarded: 204/)
    expect((await readFile(path, 'utf8')).replace(/=(http|ntw_live|whsec).*/g, '=$1').replace(/^# Made.*\n/m, '')).toBe(
      '# mine\nexport NOTES_API_KEY=ntw_live\r\nPORT=3000 # of the app\nNAME="a b"\nNOTES_BASE_URL=http\nNOTES_SIGNING_SECRET=whsec\n',
    )
    expect((await stat(path)).mode & 0o777).toBe(0o640)
  })

  it('says which values a yes replaces', async () => {
    const cwd = await temporaryFolder()
    const { env } = await mockService()
    await writeFile(join(cwd, '.env'), `NOTES_SIGNING_SECRET=${aSecret}\n`)
    const running = inTerminal(['--forward-to', (await application(204)).url], { cwd, env })
    await running.saw(/This[\s│]+replaces[\s│]+NOTES_SIGNING_SECRET/)
    running.type('\u0003')
    expect((await running.ended).exitCode).toBe(130)
    expect((await variablesIn(cwd))['NOTES_SIGNING_SECRET']).toBe(aSecret)
  })

  it.each([
    ['cannot be written', async (cwd: string) => (await readOnlyFolder(cwd)).under, /permission denied/],
    [
      'is a link to another file',
      async (cwd: string) => void (await symlink(join(await temporaryFolder(), 'profile'), join(cwd, '.env'))),
      /it is a symbolic link/,
    ],
    ['is a folder', async (cwd: string) => void (await mkdir(join(cwd, '.env'))), /it is a folder/],
  ])('prints the settings if .env %s', async (_case, prepare, reason) => {
    const cwd = await temporaryFolder()
    const app = await application(204)
    const under = (await prepare(cwd)) ?? []
    const running = started(['--forward-to', app.url, ...LOCAL, '--yes'], { cwd, under })
    await running.saw(/NOTES_SIGNING_SECRET=whsec_[\s\S]*forwarded: 204/)
    running.child.kill('SIGINT')
    const { stderr } = await running.ended
    expect(stderr).toMatch(/\.env was not written/)
    expect(stderr).toMatch(reason)
  })

  it('ends with 1 where the port of the mock service is taken, and says how to go on', async () => {
    const { service } = await mockService()
    const args = ['--forward-to', 'http://127.0.0.1:2/hook', '--base-url', service.baseUrl]
    const { exitCode, stderr } = await started(args, { cwd: await temporaryFolder() }).ended
    expect(exitCode).toBe(1)
    expect(unwrapped(stderr)).toMatch(/set NOTES_API_KEY to the key that it printed.*EADDRINUSE/)
  })
})

describe('listen --yes in a folder with a signing secret', () => {
  const content = `# mine\r\nexport NOTES_SIGNING_SECRET="${aSecret}"\r\nPORT=3000\n`

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('keeps it as a comment, and puts it back at %s', async (signal) => {
    const { service, env } = await mockService({ seed: 7 })
    const cwd = await temporaryFolder()
    const running = await replacing(cwd, content, env)
    const during = await readFile(join(cwd, '.env'), 'utf8')
    expect(during).toMatch(new RegExp(`^# .*NOTES_SIGNING_SECRET="${aSecret}"$`, 'm'))
    expect(during).toMatch(/^export NOTES_SIGNING_SECRET=whsec_/m)
    running.child.kill(signal)
    running.child.kill(signal === 'SIGHUP' ? signal : 0)
    const { exitCode, stdout, stderr } = await running.ended
    expect(exitCode).toBe({ SIGINT: 0, SIGTERM: 143, SIGHUP: 129 }[signal])
    expect(unwrapped(stderr)).toContain('It replaced NOTES_SIGNING_SECRET')
    expect(unwrapped(stderr)).toContain('Put NOTES_SIGNING_SECRET back into .env')
    expect(stdout + stderr).not.toContain('whsec_')
    expect(await readFile(join(cwd, '.env'), 'utf8')).toBe(content)
    expect(service.requests.at(-1)).toMatchObject({ method: 'DELETE', status: 204 })
  })

  it('puts it back at the next start if the process was killed', async () => {
    const { env } = await mockService({ seed: 7 })
    const cwd = await temporaryFolder()
    const killed = await replacing(cwd, content, env)
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(await readFile(join(cwd, '.env'), 'utf8')).toContain(aSecret)
    const next = started(['--forward-to', (await application(204)).url, '--yes'], { env, cwd })
    await next.saw(/Put NOTES_SIGNING_SECRET back[\s\S]*It replaced/)
    next.child.kill('SIGINT')
    await next.ended
    expect(await readFile(join(cwd, '.env'), 'utf8')).toBe(content)
  })

  it.each([
    ['first', [0, 1]],
    ['last', [1, 0]],
  ] as const)('puts it back after two processes, of which the %s one ends first', async (_which, order) => {
    const { env } = await mockService({ seed: 7 })
    const cwd = await temporaryFolder()
    const both = [await replacing(cwd, content, env), await replacing(cwd, undefined, env)]
    for (const index of order) {
      both[index]?.child.kill('SIGINT')
      await both[index]?.ended
    }
    expect(await readFile(join(cwd, '.env'), 'utf8')).toBe(content)
  })

  it('removes the lines that it added beside a line that it puts back', async () => {
    const cwd = await temporaryFolder()
    const path = join(cwd, '.env')
    await writeFile(path, 'NOTES_BASE_URL=https://notes.example')
    const running = started(['--forward-to', (await application(204)).url, ...LOCAL, '--yes'], { cwd })
    await running.saw(/forwarded: 204/)
    expect(await readFile(path, 'utf8')).toMatch(/^NOTES_API_KEY=ntw_live_/m)
    running.child.kill('SIGINT')
    await running.ended
    expect(await readFile(path, 'utf8')).toBe('NOTES_BASE_URL=https://notes.example\n')
  })

  it('does not touch a line that was changed in the meantime, and keeps the comment', async () => {
    const { env } = await mockService({ seed: 7 })
    const cwd = await temporaryFolder()
    const running = await replacing(cwd, content, env)
    const path = join(cwd, '.env')
    const changed = (await readFile(path, 'utf8')).replace(/^(export NOTES_SIGNING_SECRET=).*$/m, `$1${anotherSecret}`)
    await writeFile(path, changed)
    running.child.kill('SIGINT')
    await running.ended
    expect(await readFile(path, 'utf8')).toBe(changed)
  })

  it('puts it back and removes the endpoint when the terminal is closed', async () => {
    const { service, env } = await mockService({ seed: 7 })
    const cwd = await temporaryFolder()
    await writeFile(join(cwd, '.env'), content)
    const running = inTerminal(['--forward-to', (await application(204)).url, '--yes'], { env, cwd })
    await running.saw(/forwarded: 204/)
    running.child.kill('SIGKILL')
    await expect.poll(() => service.requests.at(-1)?.method, { timeout: 60_000 }).toBe('DELETE')
    expect(await readFile(join(cwd, '.env'), 'utf8')).toBe(content)
  })

  async function replacing(cwd: string, before: string | undefined, env: Readonly<Record<string, string>>) {
    if (before !== undefined) await writeFile(join(cwd, '.env'), before)
    const running = started(['--forward-to', (await application(204)).url, '--yes'], { env, cwd })
    await running.saw(/forwarded: 204/)
    return running
  }
})

describe('listen --forward-to with a key', () => {
  it('registers at a service on this machine, and removes the endpoint at Ctrl-C', async () => {
    const { service, env } = await mockService({ seed: 7 })
    const app = await application(204)
    const running = inTerminal(['--forward-to', app.url, '--yes'], { env, cwd: await temporaryFolder() })
    await running.saw(/forwarded: 204/)
    running.type('e')
    await running.saw(/204.* note\.ended/)
    running.type('\u0003')
    expect((await running.ended).exitCode).toBe(0)
    expect(service.requests.at(-1)).toMatchObject({ method: 'DELETE', status: 204 })
  })

  it.each([
    [404, /It answers 404, so it has no route for POST at this path/],
    [302, /It answers 302, a redirect, which the service does not follow/],
    [401, /It rejects the signature: restart it/],
  ])('says what to do about an application that answers %i', async (status, advice) => {
    const { env } = await mockService()
    const app = await application(status)
    const running = started(['--forward-to', app.url], { env, cwd: await temporaryFolder() })
    await running.saw(/The verification\s+is\s+repeated/)
    running.child.kill('SIGINT')
    expect(unwrapped((await running.ended).stderr)).toMatch(advice)
  })

  it('says that an application speaks http if --forward-to is an https URL', async () => {
    const { env } = await mockService()
    const app = await application(204)
    const url = app.url.replace('http:', 'https:')
    const running = started(['--forward-to', url], { env, cwd: await temporaryFolder() })
    await running.saw(/The verification\s+is\s+repeated/)
    running.child.kill('SIGINT')
    const { stdout, stderr } = await running.ended
    expect(stdout).toContain('not forwarded: it does not speak https')
    expect(unwrapped(stderr)).toContain('start listen again, with http:// in --forward-to')
  })

  it('has the endpoint verified once an application that answered 500 answers 204', async () => {
    const { service, env } = await mockService({ seed: 7 })
    const app = await application(500)
    const running = started(['--forward-to', app.url], { env, cwd: await temporaryFolder() })
    await running.saw(/forwarded, and rejected there: 500[\s\S]*has not accepted the verification/)
    app.answer(204)
    await running.saw(/204 {2}endpoint\.verification/)
    await expect.poll(() => service.requests.map(({ method }) => method)).toContain('PATCH')
  })

  it('removes the endpoint at Ctrl-C at the question about .env', async () => {
    const { service, env } = await mockService({ seed: 7 })
    const running = inTerminal(['--forward-to', (await application(204)).url], { env, cwd: await temporaryFolder() })
    await running.saw(/Write NOTES_SIGNING_SECRET to \.env\?/)
    running.type('\u0003')
    expect((await running.ended).exitCode).toBe(130)
    expect(service.requests.at(-1)).toMatchObject({ method: 'DELETE', status: 204 })
  })

  it('registers the URL of a tunnel', async () => {
    const { service, env } = await mockService({ seed: 7 })
    const app = await application(204)
    const tunnel = await openTunnel()
    const args = ['--forward-to', app.url, '--public-url', tunnel.url, '--port', '0', '--yes']
    const running = started(args, { env, cwd: await temporaryFolder() })
    const [, url = ''] = await running.saw(/Listening on (\S+)/)
    tunnel.leadTo(url)
    await running.saw(/forwarded: 204/)
    expect(service.attempts[0]).toMatchObject({ url: tunnel.url })
  })

  it('uses the mock service of .env that runs in another terminal', async () => {
    const { service, env } = await mockService()
    const app = await application(204)
    const running = started(['--forward-to', app.url], { env, cwd: await temporaryFolder() })
    await running.saw(/forwarded: 204/)
    expect(service.requests.map(({ method }) => method)).toContain('POST')
  })

  it('rejects a path that does not begin with a slash', async () => {
    const { exitCode, stderr } = await started(['--path', 'hook'], { cwd: await temporaryFolder() }).ended
    expect(exitCode).toBe(2)
    expect(unwrapped(stderr)).toContain('It takes the path of a URL, such as /webhooks/notes')
  })

  it('explains tunnels if the service is elsewhere', async () => {
    const env = { NOTES_BASE_URL: 'https://notes.example', NOTES_API_KEY: 'ntw_live_k.secret' }
    const args = ['--forward-to', 'http://localhost:3000/hook']
    const { exitCode, stderr } = await started(args, { env, cwd: await temporaryFolder() }).ended
    expect(exitCode).toBe(2)
    expect(unwrapped(stderr)).toContain('cloudflared tunnel --url http://localhost:3001, or ngrok http 3001.')
    expect(unwrapped(stderr)).toContain('--forward-to http://localhost:3000/hook --port 3001 --public-url <url>')
  })

  it('never prints the secret of a service that is no mock service', async () => {
    const { env } = await mockService({ seed: 7 })
    const app = await application(204)
    const running = started(['--forward-to', app.url], { env, cwd: await temporaryFolder() })
    await running.saw(/Pass --yes to write it/)
    await running.saw(/forwarded: 204/)
    running.child.kill('SIGINT')
    const { stdout, stderr } = await running.ended
    expect(stdout + stderr).not.toMatch(/whsec_|ntw_live_/)
  })

  it('writes no secret that would set other variables, and removes the endpoint', async () => {
    const methods: unknown[] = []
    const server = createServer((request, response) => {
      methods.push(request.method)
      const endpoint = { endpoint_id: 'whe_1', signing_secret: `${aSecret}\nNODE_OPTIONS=--inspect` }
      response.writeHead(201).end(JSON.stringify(endpoint))
    })
    leave(() => server.close())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const cwd = await temporaryFolder()
    const env = { NOTES_BASE_URL: url, NOTES_API_KEY: 'ntw_live_k.secret' }
    const { exitCode, stderr } = await started(['--forward-to', `${url}/hook`, '--yes'], { env, cwd }).ended
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('secret_malformed') })
    // The first request finds out whether the service can be reached.
    expect(methods).toEqual(['GET', 'POST', 'DELETE'])
    await expect(stat(join(cwd, '.env'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('offers no secret to an application that has one', async () => {
    const app = await application(204)
    const cwd = await temporaryFolder()
    const env = { NOTEWIRE_FORWARD_SECRET: anotherSecret }
    await started(['--forward-to', app.url, ...LOCAL, '--yes'], { env, cwd }).saw(/forwarded: 204/)
    expect(Object.keys(await variablesIn(cwd))).toEqual(['NOTES_BASE_URL', 'NOTES_API_KEY'])
  })
})

/** The lines of the first session on the page about `listen`, without what differs at each run. */
async function sessionOnPage(): Promise<readonly string[]> {
  const page = await readFile(join(import.meta.dirname, '../../../../docs/command-line/listen.md'), 'utf8')
  const [, session = ''] = /```console\n\$ [^\n]*\n(.*?)```/s.exec(page) ?? []
  return linesOf(session)
}

function linesOf(output: string): readonly string[] {
  return stripVTControlCharacters(output)
    .split(/[\r\n]+/)
    .map((line) =>
      line
        .replace(/^\d\d:\d\d:\d\d/, '<time>')
        .replace(/127\.0\.0\.1:\d+/, '<host>')
        .replace(/(whe|note)_\w{20}/, '$1_<id>')
        .trimEnd(),
    )
    .filter((line) => line !== '')
}

function started(args: readonly string[], options: RunOptions) {
  return startNotewire(['listen', ...args], options)
}

function inTerminal(args: readonly string[], { env, ...options }: RunOptions) {
  return startInTerminal(['listen', ...args], { ...options, env: { ...env, TERM: 'xterm', NO_COLOR: '1' } })
}

async function variablesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(join(folder, '.env'), 'utf8')
  const lines = text
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
  return Object.fromEntries(lines.map((line) => line.split('=', 2)))
}

/** A server that passes every request on to a URL, once it is known. */
async function openTunnel() {
  const { promise: target, resolve: leadTo } = Promise.withResolvers<string>()
  const server = createServer(async (request, response) => {
    const headers = Object.entries(request.headers as Record<string, string>).filter(([name]) => /^webhook/.test(name))
    const answer = await fetch(await target, { method: 'POST', headers, body: await textOf(request) })
    response.writeHead(answer.status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  leave(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, leadTo }
}

/** An application whose receiver has the secret of `.env`, and keeps its store as long as the application runs. */
async function handlingApplication(folder: string, handle: (event: NoteEndedEvent) => void) {
  const receiver = createReceiver({
    secret: async () => (await variablesIn(folder))['NOTES_SIGNING_SECRET'],
    on: { 'note.ended': handle },
  })
  const server = createServer(nodeHandler(receiver))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  leave(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

/** A receiver that answers every delivery alike, on a port that stays its own. */
async function application(status: number) {
  let answered = status
  const received: { readonly headers: Readonly<Record<string, string>>; readonly body: string }[] = []
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers as Record<string, string>, body: await textOf(request) })
    response.writeHead(answered, { connection: 'close' }).end()
  })
  const start = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await start(0)
  leave(() => server.close())
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: (next: number) => {
      answered = next
    },
    stop: async () => {
      server.close()
      await once(server, 'close')
    },
    start: () => start(port),
  }
}
