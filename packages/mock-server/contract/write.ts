import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contractDocuments, FOLDER } from './documents.ts'

for (const [name, text] of Object.entries(contractDocuments())) writeFileSync(join(FOLDER, name), text)
