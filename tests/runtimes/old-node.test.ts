import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { WORKSPACE } from '../../scripts/run.ts'

/** A module that makes a program believe that it runs in an older Node.js. */
const OLD_NODE =
  "data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.11.0' } })"

describe.each([
  ['notewire', 'packages/notewire', 'dist/main.js'],
  ['notewire-mock-server', 'packages/mock-server', 'dist/program.js'],
])('the program %s in an older Node.js', (name, folder, main) => {
  it.each([[['--version']], [['--help']], [[]]])('says in one sentence which Node.js it needs: %j', async (args) => {
    const { engines } = JSON.parse(await readFile(join(WORKSPACE, folder, 'package.json'), 'utf8'))
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', OLD_NODE, join(WORKSPACE, folder, main), ...args],
      { encoding: 'utf8' },
    )
    expect(stderr).toMatch(
      new RegExp(`^${name} needs Node\\.js ${engines.node.slice(2)} or newer; this is Node\\.js 22\\.11\\.0\\..+\\n$`),
    )
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  })
})
