import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename } from 'node:path'
import type { PackedPackage } from '../../scripts/pack-packages.ts'
import { run, WORKSPACE } from '../../scripts/run.ts'

/** An npm registry on this machine. */
export interface LocalRegistry extends AsyncDisposable {
  readonly url: string
}

/**
 * Starts a registry that serves our packages from their tarballs, so that the commands of a page install them by their
 * published names. Requests for all other packages are redirected to the npm registry.
 *
 * @param pinned  packages of the npm registry of which only this version is offered
 */
export async function startRegistry(
  packed: readonly PackedPackage[],
  pinned: Readonly<Record<string, string>>,
): Promise<LocalRegistry> {
  const npm = (await run('npm', ['config', 'get', 'registry'], WORKSPACE)).trim().replace(/\/$/, '')
  const tarballs = new Map(packed.map(({ tarball }) => [basename(tarball), tarball]))

  const server = createServer(async ({ url = '/' }, response) => {
    // A client that cached this version would test an older build.
    response.setHeader('cache-control', 'no-store')
    const name = decodeURIComponent(url.slice(1))
    const tarball = tarballs.get(name)
    const ours = packed.find((candidate) => candidate.name === name)
    const version = pinned[name]
    try {
      if (tarball !== undefined) response.end(await readFile(tarball))
      else if (ours !== undefined) response.end(JSON.stringify(packument(await manifestOf(ours, address()))))
      else if (version !== undefined) response.end(JSON.stringify(packument(await published(npm, name, version))))
      else response.writeHead(307, { location: npm + url }).end()
    } catch (error) {
      response.writeHead(502).end(String(error))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  function address(): string {
    const bound = server.address()
    if (bound === null || typeof bound === 'string') throw new Error('the registry does not listen on a port')
    return `http://127.0.0.1:${bound.port}`
  }
  return {
    url: address(),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Manifest {
  readonly name: string
  readonly version: string
}

/** What a registry answers about a package that has one version. */
function packument(manifest: Manifest): object {
  const { name, version } = manifest
  return { name, 'dist-tags': { latest: version }, versions: { [version]: manifest } }
}

async function manifestOf({ tarball }: PackedPackage, registry: string): Promise<Manifest> {
  // The manifest in the tarball names real versions; the one in the workspace does not.
  const manifest = JSON.parse(await run('tar', ['-xzOf', tarball, 'package/package.json'], WORKSPACE))
  const bytes = await readFile(tarball)
  const dist = {
    tarball: `${registry}/${basename(tarball)}`,
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    shasum: createHash('sha1').update(bytes).digest('hex'),
  }
  return { ...manifest, dist }
}

async function published(npm: string, name: string, version: string): Promise<Manifest> {
  const answer = await fetch(`${npm}/${name}/${version}`)
  if (!answer.ok) throw new Error(`the npm registry answered ${answer.status} for ${name}@${version}`)
  return await answer.json()
}
