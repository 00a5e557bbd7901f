import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { apiReport, packages, placeOf } from '../tests/api-reports/report.ts'

// `npm run fix` runs this file, after a build.
for (const name of packages) {
  await mkdir(dirname(placeOf(name)), { recursive: true })
  await writeFile(placeOf(name), apiReport(name))
}
