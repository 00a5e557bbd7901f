import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { checkServiceOptions } from '../service-options.ts'
import { CONTRACT_DEFAULTS } from '../variants/contract-variants.ts'
import { resolveContract } from '../variants/resolve-contract.ts'
import schema from './scenario.schema.json' with { type: 'json' }
import { readScenario } from './scenario-file.ts'

const validate = new Ajv2020({ allowUnionTypes: true }).compile(schema)

const RECORD = { at: '1s', do: 'record', note: 'stand-up' }

describe('a scenario', () => {
  it('is as the documentation shows it', () => {
    const page = readFileSync(`${import.meta.dirname}/../../../../docs/mock-server/scenarios.md`, 'utf8')
    const [, shown = ''] = /```json\n(.*?)```/s.exec(page) ?? []
    expect(readScenario(shown, 'stand-up.json').acts).toHaveLength(4)
    expect(validate(JSON.parse(shown))).toBe(true)
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
  ])('may be %j, for the program and for an editor', (scenario) => {
    readScenario(JSON.stringify(scenario), 'a.json')
    expect(validate(scenario), JSON.stringify(validate.errors)).toBe(true)
  })

  it.each([
    [[], 'the scenario should be an object'],
    [{ notes: 3 }, '"notes" should be left out: known here are $schema, service'],
    [{ service: 7 }, '"service" should be an object'],
    [{ channels: [''] }, '"channels[0]" should be a text that is not empty'],
    [{ integrations: [{ channels: ['Design'] }] }, '"integrations[0].name" should be a text'],
    [
      { integrations: [{ name: 'Sync', scopes: ['notes:write'] }] },
      '"integrations[0].scopes[0]" should be one of "notes:read"',
    ],
    [{ endpoints: [{ url: 'http://localhost', events: [] }] }, '"endpoints[0].events" should be a list of at least 1'],
    [{ acts: [{ at: 'soon', do: 'record', note: 'a' }] }, '"acts[0].at" should be a time such as "90s"'],
    [{ acts: [{ at: '1s', do: 'sing' }] }, '"acts[0].do" should be one of "record"'],
    [
      { acts: [RECORD, { at: '2s', do: 'edit', note: 'stand-up', revision: 2 }] },
      '"acts[1].revision" should be left out',
    ],
    [{ acts: [{ ...RECORD, title: null }] }, '"acts[0].title" should be a text'],
    [{ acts: ['record'] }, '"acts[0]" should be an object'],
  ])('may not be %j, for neither', (scenario, complaint) => {
    expect(() => readScenario(JSON.stringify(scenario), 'a.json')).toThrow(complaint)
    expect(validate(scenario)).toBe(false)
  })

  it.each([
    [
      { integrations: [{ name: 'Sync', channels: ['Design'] }] },
      'there is no channel "Design"; list it under "channels"',
    ],
    [{ endpoints: [{ url: 'http://localhost', integration: 'Sync' }] }, 'there is no integration "Sync"'],
    [{ acts: [{ ...RECORD, channel: 'Design' }] }, 'there is no channel "Design"'],
    [{ acts: [RECORD, { at: '2s', do: 'move', note: 'stand-up', to: 'Design' }] }, 'there is no channel "Design"'],
    [{ acts: [{ at: '2s', do: 'revoke', integration: 'Sync' }] }, 'there is no integration "Sync"'],
    [
      { acts: [{ at: '2s', do: 'end', note: 'stand-up' }] },
      'names the note "stand-up", which nothing records before it',
    ],
    [{ acts: [{ at: '0s', do: 'end', note: 'stand-up' }, RECORD] }, 'which nothing records before it'],
    [{ channels: ['Design', 'Design'] }, 'two channels are named "Design"'],
    [{ integrations: [{ name: 'Sync' }, { name: 'Sync' }] }, 'two integrations are named "Sync"'],
    [{ acts: [RECORD, RECORD] }, 'the note "stand-up" is recorded twice'],
  ])('names nothing that is not there, or twice: %j', (scenario, complaint) => {
    expect(() => readScenario(JSON.stringify(scenario), 'a.json')).toThrow(complaint)
  })

  it('is JSON, or is told where it is not, without its words', () => {
    expect(() => readScenario('{\n  "channels": ["Design"],\n}', 'a.json')).toThrow('it is not JSON from line 3 on')
    expect(() => readScenario('{ "channels": ["Secret plan",,] }', 'a.json')).toThrow(/^(?!.*Secret).*it is not JSON\./)
    expect(() => readScenario('', 'a.json')).toThrow('it is not JSON')
  })

  it('is done in order of time', () => {
    const later = { at: '2m', do: 'delete', note: 'stand-up' }
    expect(readScenario(JSON.stringify({ acts: [later, RECORD] }), 'a.json').acts).toEqual([RECORD, later])
  })
})

describe('the schema knows', () => {
  const { contract, ...options } = schema.properties.service.properties

  it('every option of a service', () => {
    for (const option of ['contract', ...Object.keys(options)])
      expect(() => checkServiceOptions({ [option]: undefined })).not.toThrow()
    expect(() => checkServiceOptions({ unknown: 1 } as object)).toThrow(
      `It takes: ${['seed', 'notes', 'clock', 'contract', 'faults', 'disorder', 'urlPolicy'].join(', ')}.`,
    )
    expect(Object.keys({ contract, ...options }).sort()).toEqual([
      'clock',
      'contract',
      'disorder',
      'faults',
      'notes',
      'seed',
      'urlPolicy',
    ])
  })

  it('every row that can be played in another way, and how', () => {
    expect(Object.keys(contract.properties)).toEqual(Object.keys(CONTRACT_DEFAULTS))
    for (const [row, property] of Object.entries(contract.properties)) {
      for (const choice of 'enum' in property ? property.enum : [])
        expect(() => resolveContract({ [row]: choice })).not.toThrow()
      const isChosen = new Ajv2020({ allowUnionTypes: true }).compile({ ...property, $defs: schema.$defs })
      expect(isChosen(CONTRACT_DEFAULTS[row as keyof typeof CONTRACT_DEFAULTS]), row).toBe(true)
    }
  })
})
