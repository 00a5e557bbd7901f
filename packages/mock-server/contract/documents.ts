import { join } from 'node:path'
import * as z from 'zod'
import { scenarioSchema } from '../src/program/scenario.ts'
import { asyncApiDocument } from './asyncapi.ts'
import { openApiDocument } from './openapi.ts'

/** The folder of the documents. */
export const FOLDER = join(import.meta.dirname, '../../../docs/contract')

/** The contents of the contract documents and of the schema of scenarios, by file name. */
export function contractDocuments(): Readonly<Record<string, string>> {
  return {
    'openapi.json': written(openApiDocument()),
    'asyncapi.json': written(asyncApiDocument()),
    'scenario.schema.json': written(scenarioDocument()),
  }
}

/** The JSON Schema of a scenario file, for editors. */
function scenarioDocument(): object {
  return {
    $id: 'https://unpkg.com/@notewire/mock-server/scenario.schema.json',
    title: 'Scenario of @notewire/mock-server',
    description: 'The options of a notes service, its channels, integrations and endpoints, and the acts of its owner.',
    ...z.toJSONSchema(scenarioSchema, { io: 'input' }),
  }
}

function written(document: object): string {
  return `${JSON.stringify(document, undefined, 2)}\n`
}
