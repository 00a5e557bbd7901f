import { once } from 'node:events'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { createVerifier } from '@notewire/webhooks/verify'
import { afterEach, describe, expect, it } from 'vitest'
import { cleanUp, leave } from '../../fixtures/leftovers.ts'
import { mockService } from '../../fixtures/mock-service.ts'
import { startNotewire } from '../../fixtures/run-notewire.ts'
import { aSecret } from '../../fixtures/secrets.ts'
import { temporaryFolder } from '../../fixtures/temporary-folder.ts'
import { unwrapped } from '../../fixtures/unwrapped.ts'

afterEach(cleanUp)

const FREE = ['--base-url', 'http://127.0.0.1:0', '--yes']

describe('the key and the secret that listen makes up', () => {
  it('are others in each folder, and stay the same in a folder', async () => {
    const app = await application()
    const [one, other] = [await temporaryFolder(), await temporaryFolder()]
    for (const cwd of [one, other]) await session(cwd, app.url, FREE)
    const [first, second] = [await variablesIn(one), await variablesIn(other)]
    expect(first['NOTES_API_KEY']).not.toBe(second['NOTES_API_KEY'])
    expect(first['NOTES_SIGNING_SECRET']).not.toBe(second['NOTES_SIGNING_SECRET'])
    const before = await readFile(join(one, '.env'), 'utf8')
    await session(one, app.url, ['--forward-raw'])
    expect(await readFile(join(one, '.env'), 'utf8')).toBe(before)
    await verifiesWith(first['NOTES_SIGNING_SECRET'], app.received.at(-1))
  })

  it('are known again from the lines that listen printed', async () => {
    const app = await application()
    const cwd = await temporaryFolder()
    const { stdout } = await session(cwd, app.url, FREE.slice(0, 2))
    await writeFile(
      join(cwd, '.env'),
      stdout.slice(stdout.indexOf('# Made up'), stdout.indexOf('\n', stdout.indexOf('NOTES_SIGNING_SECRET'))),
    )
    const again = await session(cwd, app.url, [])
    expect(again.stdout).not.toContain('NOTES_API_KEY')
  })

  it('are not taken from lines that have no mark, or that were changed after the mark', async () => {
    const app = await application()
    const cwd = await temporaryFolder()
    await session(cwd, app.url, FREE)
    const path = join(cwd, '.env')
    const written = await readFile(path, 'utf8')
    for (const env of [written.replace(/^#.*\n/m, ''), written.replace(/(_live_\w+\.)/, '$1x')]) {
      await writeFile(path, env)
      const running = startNotewire(['listen', '--forward-to', app.url, '--yes'], { cwd })
      const { exitCode, stdout, stderr } = await running.ended
      expect(exitCode).toBe(5)
      expect(stdout + stderr).not.toContain('A mock notes service runs here')
      expect(await readFile(path, 'utf8')).toBe(env)
    }
  })

  it('replace for good the values that version 0.1.0 wrote on every machine', async () => {
    const app = await application()
    const cwd = await temporaryFolder()
    const former = [
      'NOTES_API_KEY=ntw_live_GinosjxGpNVh.naTVbSkIx0wjiABA6672As465AxdZoNo',
      'NOTES_SIGNING_SECRET=whsec_tsnxxv9zwxcm7_coX5xDJvHAimXP2tno-4JYw5ecqvc',
    ]
    await writeFile(join(cwd, '.env'), `PORT=3000\n${former.join('\n')}\n`)
    await session(cwd, app.url, FREE)
    const after = await readFile(join(cwd, '.env'), 'utf8')
    for (const line of former) expect(after).not.toContain(line)
    expect(after).toMatch(/^PORT=3000\nNOTES_API_KEY=ntw_live_[\s\S]*NOTES_SIGNING_SECRET=whsec_/)
    await session(cwd, app.url, [])
    expect(await readFile(join(cwd, '.env'), 'utf8')).toBe(after)
  })
})

it('listen writes UTF-8 in place of UTF-16, keeps the other lines, and knows its values in UTF-16 again', async () => {
  const app = await application()
  const cwd = await temporaryFolder()
  const path = join(cwd, '.env')
  await writeFile(path, Buffer.from('\ufeffPORT=3000\r\n', 'utf16le'), { mode: 0o600 })
  await session(cwd, app.url, FREE)
  const written = await variablesIn(cwd)
  expect(Object.keys(written).sort()).toEqual(['NOTES_API_KEY', 'NOTES_BASE_URL', 'NOTES_SIGNING_SECRET', 'PORT'])
  const inUtf16 = Buffer.from(`\ufeff${await readFile(path, 'utf8')}`, 'utf16le')
  await writeFile(path, inUtf16)
  await session(cwd, app.url, [])
  expect((await readFile(path)).equals(inUtf16)).toBe(true)
  await verifiesWith(written['NOTES_SIGNING_SECRET'], app.received.at(-1))
})

describe('a second listen in the folder', () => {
  it('joins the mock service of the first one, and signs with the secret of the folder', async () => {
    const [app, other] = [await application(), await application()]
    const cwd = await temporaryFolder()
    const first = startNotewire(['listen', '--forward-to', app.url, ...FREE], { cwd })
    await first.saw(/forwarded: 204/)
    const before = await readFile(join(cwd, '.env'), 'utf8')
    const second = await session(cwd, other.url, ['--yes'])
    expect(second.stdout + second.stderr).not.toContain('A mock notes service runs here')
    expect(await readFile(join(cwd, '.env'), 'utf8')).toBe(before)
    await verifiesWith((await variablesIn(cwd))['NOTES_SIGNING_SECRET'], other.received.at(-1))
  })

  it('does not join the mock service of another folder', async () => {
    const app = await application()
    const [cwd, copy] = [await temporaryFolder(), await temporaryFolder()]
    await session(cwd, app.url, FREE)
    await cp(join(cwd, '.env'), join(copy, '.env'))
    const { service } = await mockService()
    const args = ['listen', '--forward-to', app.url, '--base-url', service.baseUrl]
    const { exitCode, stderr } = await startNotewire(args, { cwd: copy }).ended
    expect(exitCode).toBe(3)
    expect(unwrapped(stderr)).toMatch(
      /does not accept the API key that listen wrote to \.env.*--base-url http:\/\/127\.0\.0\.1:4011/,
    )
  })
})

it('listen says that others can read the .env into which it writes', async () => {
  const cwd = await temporaryFolder()
  await writeFile(join(cwd, '.env'), `OTHER=${aSecret}\n`, { mode: 0o644 })
  const { stderr } = await session(cwd, (await application()).url, FREE)
  expect(unwrapped(stderr)).toContain('Others can read .env (mode 644). Protect it: chmod 600 .env')
})

/** Runs listen until it has forwarded a delivery. */
async function session(cwd: string, url: string, args: readonly string[]) {
  const running = startNotewire(['listen', '--forward-to', url, ...args], { cwd })
  await running.saw(/forwarded: 204/)
  running.child.kill('SIGINT')
  const ended = await running.ended
  expect(ended.exitCode).toBe(0)
  return ended
}

async function variablesIn(folder: string) {
  return parseEnv(await readFile(join(folder, '.env'), 'utf8'))
}

interface Delivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

async function verifiesWith(secret: string | undefined, delivery: Delivery | undefined): Promise<void> {
  const verdict = await createVerifier({ secret: secret ?? '' })(delivery?.body ?? '', delivery?.headers ?? {})
  expect(verdict).toMatchObject({ status: 'verified' })
}

async function application() {
  const received: Delivery[] = []
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers as Record<string, string>, body: await textOf(request) })
    response.writeHead(204, { connection: 'close' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  leave(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received }
}
