import { join } from 'node:path'
import { asyncApiDocument } from './asyncapi.ts'
import { openApiDocument } from './openapi.ts'

/** The folder of the documents. */
export const FOLDER = join(import.meta.dirname, '../../../docs/contract')

/** The contents of the contract documents, by file name. */
export function contractDocuments(): Readonly<Record<string, string>> {
  return {
    'openapi.json': written(openApiDocument()),
    'asyncapi.json': written(asyncApiDocument()),
  }
}

function written(document: object): string {
  return `${JSON.stringify(document, undefined, 2)}\n`
}
