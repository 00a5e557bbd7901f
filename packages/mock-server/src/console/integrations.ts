import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import type { Integration } from '../world/integration.ts'
import type { Owners } from '../world/owners.ts'
import type { World } from '../world/world.ts'
import type { Forms } from './forms.ts'
import { placeName } from './notes.ts'
import { owned, ownerChoice } from './owner-choice.ts'
import { checkbox, type Html, losingAct, page } from './page.ts'
import type { ShownOnce } from './shown-once.ts'

const PAGE = '/console/integrations'
const toOwner = ({ owner_id }: Readonly<Record<string, string>>) => `${PAGE}?owner=${owner_id}`

export const integrationForms = (shownOnce: ShownOnce): Forms => ({
  '/console/owners': {
    operation: 'POST /control/owners',
    input: ({ text }) => ({ name: text('name').trim() || undefined }),
    next: (answer) => showKey(shownOnce, answer['api_key'] ?? '', toOwner(answer)),
  },
  '/console/integrations': {
    operation: 'POST /control/integrations',
    input: ({ text, all }) => ({
      channels: all('channels').length === 0 ? undefined : all('channels'),
      owner_id: text('owner_id') || undefined,
    }),
    next: toOwner,
  },
  '/console/channels': {
    operation: 'POST /control/channels',
    input: ({ text }) => ({ name: text('name').trim(), owner_id: text('owner_id') || undefined }),
    next: toOwner,
  },
  '/console/integrations/:integration_id/keys': {
    operation: 'POST /control/integrations/:integration_id/keys',
    input: ({ all }) => ({ scopes: all('scopes') }),
    next: ({ key = '' }) => showKey(shownOnce, key, PAGE),
  },
  '/console/keys/:key_id/revoke': { operation: 'DELETE /control/keys/:key_id', next: () => PAGE },
})

function showKey(shownOnce: ShownOnce, text: string, next: string): string {
  const advice = 'Store it in the configuration of the client, and keep it out of logs and URLs.'
  return shownOnce.keep({ title: 'API key', text, advice, next })
}

/** An integration, by the names of the places that it can access, and of its owner if there are several. */
export function integrationName(owners: Owners, { places, owner_id }: Integration): string {
  const world = owners.find(owner_id)
  const name = places.map((place) => (place === 'personal' ? 'Personal notes' : placeName(world, place))).join(', ')
  return owned(owners, world, name)
}

/** The page of the owners, their integrations and keys (contract §2). */
export function integrationsPage(parts: ServiceParts, context: Context): Html {
  const { owner_id, world, select, field } = ownerChoice(parts.owners, context)
  const cards = parts.owners
    .only(owner_id)
    .flatMap((owner) => owner.integrations.all().map((integration) => integrationCard(parts, owner, integration)))
  return page(parts, {
    title: 'Integrations and keys',
    section: 'Keys',
    content: html`
      <div class="heading"><h1>Integrations and keys</h1>${select}</div>
      <section class="stack">${cards}</section>
      <section class="columns">
        <form class="card" method="post" action="/console/channels">
          <h2>Create a channel</h2>
          <label>Name <input name="name" required placeholder="Design" /></label>
          ${field}
          <div><button>Create channel</button></div>
        </form>
        <form class="card" method="post" action="/console/integrations">
          <h2>Create an integration</h2>
          ${channelBoxes(world)}
          ${field}
          <div><button>Create integration</button></div>
        </form>
        <form class="card" method="post" action="/console/owners">
          <h2>Create an owner</h2>
          <p class="dim">Another account of the service, with notes, channels and keys of its own.</p>
          <label>Owner <input name="name" placeholder="acme" /></label>
          <div><button>Create owner</button></div>
        </form>
      </section>`,
  })
}

function channelBoxes(world: World): Html {
  const channels = world.channels()
  if (channels.length === 0) {
    return html`<p class="dim">It can access the personal notes. For one that accesses a channel, create the channel first.</p>`
  }
  return html`<fieldset><legend>Channels that its keys can access</legend>
    ${channels.map(({ channel_id, name }) => checkbox('channels', channel_id, name, false))}
    <p class="dim">Without a channel, its keys can access the personal notes.</p></fieldset>`
}

function integrationCard({ owners, contract }: ServiceParts, world: World, integration: Integration): Html {
  const { integration_id } = integration
  return html`<article class="card">
    <h2>${integrationName(owners, integration)}</h2>
    <p class="dim"><code>${integration_id}</code></p>
    <div id="keys-${integration_id}" data-live>${keyList(world.integrations.keysOf(integration), contract)}</div>
    <details class="form">
      <summary>Issue a key</summary>
      <form method="post" action="/console/integrations/${integration_id}/keys">
        <fieldset><legend>Scopes</legend>
          ${world.scopes.map((scope) => checkbox('scopes', scope, scope, true))}
        </fieldset>
        <div><button class="primary">Issue</button></div>
      </form>
    </details>
  </article>`
}

function keyList(keys: ReturnType<World['integrations']['keysOf']>, contract: ServiceParts['contract']): Html {
  if (keys.length === 0) return html`<p>No active keys. Issue one to call the API.</p>`
  return html`<ul class="rows">${keys.map(
    ({
      key_id,
      scopes,
    }) => html`<li><div><code>${shownKey(key_id, contract)}</code> <span class="scopes">${scopes.join(' ')}</span></div>
      ${losingAct(`revoke-${key_id}`, `/console/keys/${key_id}/revoke`, 'Revoke …', 'Revoke key')}</li>`,
  )}</ul>`
}

/** The part of a key that may be shown. With `keyForm: 'without_key_id'`, only the service knows the identifier. */
function shownKey(keyId: string, { keyPrefix, keyForm }: ServiceParts['contract']): string {
  return keyForm === 'without_key_id' ? `${keyPrefix}-… (${keyId})` : `${keyPrefix}_live_${keyId}.…`
}
