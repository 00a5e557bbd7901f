import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { coveragePage } from '../tests/contract-coverage/page.ts'
import { WORKSPACE } from './run.ts'

// Usage: node scripts/write-contract-coverage.ts
const page = join(WORKSPACE, 'docs/mock-server/coverage.md')
await mkdir(dirname(page), { recursive: true })
await writeFile(page, coveragePage())
