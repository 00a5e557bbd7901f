import { join } from 'node:path'
import { asyncApiDocument } from './asyncapi.ts'
import { openApiDocument } from './openapi.ts'

/** Where the documents are kept. */
export const FOLDER = join(import.meta.dirname, '../../../docs/contract')

/** The contract documents, by the names of their files, as they are to be written. */
export function contractDocuments(): Readonly<Record<string, string>> {
  return {
    'openapi.json': written(openApiDocument()),
    'asyncapi.json': written(asyncApiDocument()),
  }
}

function written(document: object): string {
  return `${JSON.stringify(document, undefined, 2)}\n`
}
