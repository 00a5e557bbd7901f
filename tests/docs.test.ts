import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { WORKSPACE } from '../scripts/run.ts'
import { blocksOfDocstrings, blocksOfMarkdown } from './docs/code-blocks.ts'
import { compileBlocks } from './docs/compile-blocks.ts'
import { brokenLinks } from './docs/relative-links.ts'

const markdown = filesOf(
  '*.md',
  'docs/**/*.md',
  'packages/*/*.md',
  'packages/*/vectors/*.md',
  'examples/*/*.md',
  'tests/*/README.md',
)
const sources = filesOf('packages/*/src/**/*.ts')
const folders = filesOf('packages/*', 'examples/*').concat('.')

const blocks = [
  ...markdown.flatMap((file) => blocksOfMarkdown(file, read(file))),
  ...sources.flatMap((file) => blocksOfDocstrings(file, read(file))),
]
const examples = blocks.filter(({ language }) => language === 'ts')
// The tests of these projects compile their files: with packages that the workspace has not, or with the types of Next.
const compiled = examples.filter(
  ({ code }) => !/^\/\/ examples\/(frameworks|own-transaction|next-app\/app\/mock)\//.test(code),
)
const problems = compileBlocks(compiled, folders)

it('finds the examples of the README files and of the docstrings', () => {
  const files = examples.map(({ file }) => file)
  expect(files).toContain('README.md')
  expect(files).toContain('packages/protocol/README.md')
  expect(files).toContain('packages/protocol/src/resources.ts')
})

it('code blocks are marked as ts, and never as a language that would not be compiled', () => {
  expect(blocks.filter(({ language }) => /^(typescript|tsx|js|javascript|jsx|mjs|mts)$/.test(language))).toEqual([])
})

describe('an example compiles as a separate module', () => {
  it.each(compiled.map((block) => [`${block.file}:${block.line}`, block] as const))('%s', (_place, block) => {
    expect(problems.get(block)).toEqual([])
  })
})

// Express 5 passes the error of a port that is in use to this callback. Without a parameter, the program would end without a word.
describe('the callback of listen in an example for Express takes the error', () => {
  const express = examples.filter(({ code }) => /from 'express'/.test(code) && /\.listen\(/.test(code))
  it.each(express.map((block) => [`${block.file}:${block.line}`, block.code] as const))('%s', (_place, code) => {
    expect(code).not.toMatch(/\.listen\([^\n=]*\(\) =>/)
  })
})

describe('an example that begins with the path of a file shows that file', () => {
  const shown = blocks.flatMap(({ code, ...place }) => {
    const [, path, rest] = /^(?:\/\/|--) (examples\/\S+)\n(.*)$/s.exec(code) ?? []
    return path === undefined ? [] : [[`${place.file}:${place.line}`, path, rest] as const]
  })
  it.each(shown)('%s shows %s', (_place, path, code) => expect(code).toBe(read(path)))
})

it.each(markdown)('every relative link of %s leads to an existing file', (file) => {
  expect(brokenLinks(file, read(file))).toEqual([])
})

describe('the reference covers every entry', () => {
  it.each(filesOf('packages/*'))('of %s', (folder) => {
    const { exports } = JSON.parse(read(join(folder, 'package.json')))
    const entries = Object.values<{ '@notewire/source'?: string }>(exports).map((entry) => entry['@notewire/source'])
    // A program has no entries.
    const { entryPoints } = entries.some(Boolean) ? JSON.parse(read(join(folder, 'typedoc.json'))) : { entryPoints: [] }
    expect(entryPoints.map((entry: string) => `./${entry}`)).toEqual(entries.filter((entry) => entry !== undefined))
  })
})

function filesOf(...patterns: string[]): string[] {
  return globSync(patterns, { cwd: WORKSPACE, exclude: ['docs/reference', '**/node_modules', '**/dist'] }).sort()
}

function read(file: string): string {
  return readFileSync(join(WORKSPACE, file), 'utf8')
}
