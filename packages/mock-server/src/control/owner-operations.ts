import * as z from 'zod/mini'
import { checked, fields, name } from '../errors/checked.ts'
import { newOwnerSchema, scopesSchema } from '../world/create-owner.ts'
import type { Integration } from '../world/integration.ts'
import type { World } from '../world/world.ts'
import { known, operation, ownerFilter, ownerOrFirst } from './operation.ts'

export const ownerOperations = {
  'GET /control/owners': operation({
    summary: 'List the owners',
    run: ({ owners }) => ({ owners: owners.all().map(({ owner_id, name }) => ({ owner_id, name })) }),
  }),
  'POST /control/owners': operation({
    summary: 'Create an owner',
    status: 201,
    input: newOwnerSchema,
    run: ({ owners, input }) => {
      const { owner_id, name, apiKey: api_key } = owners.create(input.name)
      return { owner_id, name, api_key }
    },
  }),
  'GET /control/channels': operation({
    summary: 'List the channels',
    input: fields(ownerFilter),
    run: ({ owners, input: { owner_id } }) => ({
      channels: owners
        .only(owner_id)
        .flatMap((world) => world.channels().map((channel) => ({ ...channel, owner_id: world.owner_id }))),
    }),
  }),
  'POST /control/channels': operation({
    summary: 'Create a channel',
    status: 201,
    input: fields({ name, ...ownerOrFirst }),
    run: ({ owners, input }) => {
      const world = owners.find(input.owner_id)
      return { ...world.createChannel(input.name), owner_id: world.owner_id }
    },
  }),
  'GET /control/integrations': operation({
    summary: 'List the integrations with their keys, without the secrets of the keys',
    input: fields(ownerFilter),
    run: ({ owners, input: { owner_id } }) => ({
      integrations: owners
        .only(owner_id)
        .flatMap((world) => world.integrations.all().map((integration) => integrationView(world, integration))),
    }),
  }),
  'POST /control/integrations': operation({
    summary: 'Create an integration',
    status: 201,
    input: fields({
      channels: z
        .optional(z.array(z.string()).check(z.minLength(1)))
        .check(z.describe('The channels that its keys can access. Default: the personal notes.')),
      ...ownerOrFirst,
    }),
    run: ({ owners, input: { channels = ['personal'], owner_id } }) => {
      const world = owners.find(owner_id)
      return integrationView(world, world.createIntegration(channels))
    },
  }),
  'GET /control/integrations/:integration_id': operation({
    summary: 'Read an integration with its keys',
    run: ({ owners, id }) => {
      const { world, integration } = owners.integration(id('integration_id'))
      return integrationView(world, integration)
    },
  }),
  'POST /control/integrations/:integration_id/keys': operation({
    summary: 'Issue an API key',
    status: 201,
    input: fields({
      scopes: z.optional(z.array(z.string()).check(z.minLength(1))).check(z.describe('Default: all scopes.')),
    }),
    run: ({ owners, id, input }) => {
      const { world, integration } = owners.integration(id('integration_id'))
      const { scopes = world.scopes } = checked('a new key', fields({ scopes: z.optional(scopesSchema(world)) }), input)
      const { key, apiKey } = world.integrations.issueKey(integration, scopes)
      return { key_id: apiKey.key_id, key, scopes: apiKey.scopes }
    },
  }),
  'DELETE /control/keys/:key_id': operation({
    summary: 'Revoke an API key',
    status: 204,
    run: ({ owners, id }) => {
      const owner = owners.all().find(({ integrations }) => integrations.revokeKey(id('key_id')))
      known('key', id('key_id'), owner)
      return undefined
    },
  }),
}

function integrationView(world: World, integration: Integration): object {
  const { integration_id, owner, places } = integration
  const names = places.map(
    (place) => world.channels().find((each) => each.channel_id === place)?.name ?? 'Personal notes',
  )
  const keys = world.integrations.keysOf(integration).map(({ key_id, scopes }) => ({ key_id, scopes }))
  return { integration_id, name: names.join(', '), owner_id: owner.owner_id, places, keys }
}
