import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readScenario, scenarioSchema } from './scenario.ts'

/** The schema that is published for editors: docs/contract/scenario.schema.json. */
const validate = new Ajv2020({ strict: false }).compile(z.toJSONSchema(scenarioSchema, { io: 'input' }))

const RECORD = { at: '1s', do: 'record', note: 'stand-up' }

describe('a scenario', () => {
  it('accepts the example of the documentation', () => {
    const page = readFileSync(`${import.meta.dirname}/../../../../docs/mock-server/scenarios.md`, 'utf8')
    const [, example = ''] = /```json\n(.*?)```/s.exec(page) ?? []
    expect(readScenario(example, 'stand-up.json').acts).toHaveLength(4)
    expect(validate(JSON.parse(example))).toBe(true)
  })

  it.each([
    {},
    { $schema: 'https://unpkg.com/@notewire/mock-server/scenario.schema.json' },
    { service: { seed: 7, notes: 300, clock: 'virtual', urlPolicy: 'public-https' } },
    { service: { faults: [{ request: 'GET /v1/notes', calls: [1, 3], fault: { kind: 'status', status: 503 } }] } },
    { service: { faults: [{ delivery: '*', rate: 0.1, fault: { kind: 'delayed', by: '1m' } }] } },
    { channels: ['Design'], integrations: [{ name: 'Sync', channels: ['Design'], scopes: ['notes:read'] }] },
    { endpoints: [{ url: 'http://localhost:3000/hooks', events: ['note.ended'] }] },
    { integrations: [{ name: 'Sync' }], endpoints: [{ url: 'http://localhost:3000/hooks', integration: 'Sync' }] },
    { acts: [{ ...RECORD, title: 'Stand-up', content: 'Everybody', at: 1500 }] },
    {
      acts: [
        RECORD,
        { at: '26h40m', do: 'end', note: 'stand-up', summary: false, transcript: [{ speaker: null, text: 'Hello' }] },
      ],
    },
    {
      acts: [
        RECORD,
        { at: '2s', do: 'move', note: 'stand-up', to: 'personal' },
        { at: '3s', do: 'delete', note: 'stand-up' },
      ],
    },
    {
      acts: [
        RECORD,
        { at: '2s', do: 'record-again', note: 'stand-up' },
        { at: '3s', do: 'edit', note: 'stand-up', title: 'x' },
      ],
    },
    { integrations: [{ name: 'Sync' }], acts: [{ at: '1m', do: 'revoke', integration: 'Sync' }] },
  ])('accepts %j, in the program and in editors', (scenario) => {
    readScenario(JSON.stringify(scenario), 'a.json')
    expect(validate(scenario), JSON.stringify(validate.errors)).toBe(true)
  })

  it.each([
    [[], 'the scenario got a wrong value. Pass an object.'],
    [{ notes: 3 }, 'the scenario has no option "notes". It takes: $schema, service, channels'],
    [{ service: { notez: 3 } }, '"service" has no option "notez". It takes: seed, identifierSeed, notes,'],
    [
      { service: { faults: [{ request: 'GET /v1/notes', fault: { kind: 'gremlin' } }] } },
      '"service.faults[0].fault.kind"',
    ],
    [{ service: 7 }, '"service" has a wrong value. It must be an object.'],
    [{ channels: [''] }, '"channels[0]" has a wrong value. It must be a text that is not empty.'],
    [{ integrations: [{ channels: ['Design'] }] }, '"integrations[0].name" is missing. It must be a text.'],
    [
      { integrations: [{ name: 'Sync', scopes: ['notes:write'] }] },
      '"integrations[0].scopes[0]" has a wrong value. It must be "notes:read" or',
    ],
    [
      { endpoints: [{ url: 'http://localhost', events: [] }] },
      '"endpoints[0].events" has a wrong value. It must be a list of at least 1.',
    ],
    [
      { acts: [{ at: 'soon', do: 'record', note: 'a' }] },
      '"acts[0].at" has a wrong value. It must be hours, minutes and seconds',
    ],
    [{ acts: [{ at: '1s', do: 'sing' }] }, '"acts[0].do" has a wrong value. It must be "record" or "record-again"'],
    [
      { acts: [RECORD, { at: '2s', do: 'edit', note: 'stand-up', revision: 2 }] },
      '"acts[1]" has no option "revision". It takes: at, do, note, title, content.',
    ],
    [{ acts: [{ ...RECORD, title: null }] }, '"acts[0].title" has a wrong value. It must be a text.'],
    [{ acts: ['record'] }, '"acts[0]" has a wrong value. It must be an object.'],
  ])('rejects %j, in the program and in editors', (scenario, complaint) => {
    expect(() => readScenario(JSON.stringify(scenario), 'a.json')).toThrow(complaint)
    expect(validate(scenario)).toBe(false)
  })

  it.each([
    [{ integrations: [{ name: 'Sync', channels: ['Design'] }] }, 'there is no channel "Design". Add it to "channels"'],
    [{ endpoints: [{ url: 'http://localhost', integration: 'Sync' }] }, 'there is no integration "Sync"'],
    [{ acts: [{ ...RECORD, channel: 'Design' }] }, 'there is no channel "Design"'],
    [{ acts: [RECORD, { at: '2s', do: 'move', note: 'stand-up', to: 'Design' }] }, 'there is no channel "Design"'],
    [{ acts: [{ at: '2s', do: 'revoke', integration: 'Sync' }] }, 'there is no integration "Sync"'],
    [{ acts: [{ at: '2s', do: 'end', note: 'stand-up' }] }, 'names the note "stand-up", which no earlier act records'],
    [{ acts: [{ at: '0s', do: 'end', note: 'stand-up' }, RECORD] }, 'which no earlier act records'],
    [{ channels: ['Design', 'Design'] }, 'two channels are named "Design"'],
    [{ integrations: [{ name: 'Sync' }, { name: 'Sync' }] }, 'two integrations are named "Sync"'],
    [{ acts: [RECORD, RECORD] }, 'the note "stand-up" is recorded twice'],
  ])('rejects names that are unknown or used twice: %j', (scenario, complaint) => {
    expect(() => readScenario(JSON.stringify(scenario), 'a.json')).toThrow(complaint)
  })

  it('rejects a file that is not JSON, with the line and without its content', () => {
    expect(() => readScenario('{\n  "channels": ["Design"],\n}', 'a.json')).toThrow('it is not JSON from line 3 on')
    expect(() => readScenario('{ "channels": ["Secret plan",,] }', 'a.json')).toThrow(/^(?!.*Secret).*it is not JSON\./)
    expect(() => readScenario('', 'a.json')).toThrow(expect.objectContaining({ code: 'scenario_invalid' }))
  })

  it('sorts the acts by time', () => {
    const later = { at: '2m', do: 'delete', note: 'stand-up' }
    expect(readScenario(JSON.stringify({ acts: [later, RECORD] }), 'a.json').acts).toEqual([RECORD, later])
  })
})
