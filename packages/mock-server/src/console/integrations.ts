import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ServiceParts } from '../api/service-parts.ts'
import type { Integration } from '../world/integration.ts'
import type { Owners } from '../world/owners.ts'
import type { World } from '../world/world.ts'
import { placeName } from './notes.ts'
import { ownerChoice, ownerName } from './owner-choice.ts'
import { boxes, controlForm, facts, type Html, losingAct, page } from './page.ts'

const PAGE = '/console/integrations'
const PAGE_OF_OWNER = `${PAGE}?owner={owner_id}`

export function placesOf(owners: Owners, { places, owner }: Integration): string {
  const world = owners.find(owner.owner_id)
  return places.map((place) => (place === 'personal' ? 'Personal notes' : placeName(world, place))).join(', ')
}

export function integrationsPage(parts: ServiceParts, context: Context): Html {
  const { owner_id, world, select, field } = ownerChoice(parts.owners, context)
  const cards = parts.owners
    .only(owner_id)
    .flatMap((owner) => owner.integrations.all().map((integration) => integrationCard(parts, owner, integration)))
  const channel = html`<h2>Create a channel</h2>
    <label>Name <input name="name" required placeholder="Design" /></label>
    ${field}
    <div><button>Create channel</button></div>`
  const integration = html`<h2>Create an integration</h2>
    ${channelBoxes(world)} ${field}
    <div><button>Create integration</button></div>`
  const owner = html`<h2>Create an owner</h2>
    <p class="dim">Another account of the service, with notes, channels and keys of its own.</p>
    <label>Owner <input name="name" placeholder="acme" /></label>
    <div><button>Create owner</button></div>`
  return page(parts, {
    title: 'Integrations and keys',
    section: 'Keys',
    owner_id,
    content: html`
      <div class="heading"><h1>Integrations and keys</h1>${select}</div>
      <section class="stack">${cards}</section>
      <section class="columns">
        ${controlForm('card', 'POST /control/channels', PAGE_OF_OWNER, channel)}
        ${controlForm('card', 'POST /control/integrations', PAGE_OF_OWNER, integration)}
        ${controlForm('card', 'POST /control/owners', PAGE_OF_OWNER, owner)}
      </section>`,
  })
}

function channelBoxes(world: World): Html {
  const channels = world.channels()
  if (channels.length === 0) {
    return html`<p class="dim">It can access the personal notes. For one that accesses a channel, create the channel first.</p>`
  }
  return html`<fieldset><legend>Channels that its keys can access</legend>
    ${boxes(
      'channels',
      channels.map(({ channel_id, name }) => [channel_id, name] as const),
      [],
    )}
    <p class="dim">Without a channel, its keys can access the personal notes.</p></fieldset>`
}

function integrationCard({ owners, contract }: ServiceParts, world: World, integration: Integration): Html {
  const { integration_id } = integration
  const scopes = world.scopes.map((scope) => [scope, scope] as const)
  // With an empty value, so that no box at all is an empty list, which the API refuses.
  const fields = html`<fieldset><legend>Scopes</legend>
      <input type="hidden" name="scopes:list" value="" />${boxes('scopes', scopes, world.scopes)}
    </fieldset>
    <div><button class="primary">Issue</button></div>`
  return html`<article class="card">
    <h2>${placesOf(owners, integration)}</h2>
    ${facts([
      ['Identifier', html`<code>${integration_id}</code>`],
      ['Owner', ownerName(owners, world.owner_id)],
    ])}
    <div id="keys-${integration_id}" data-live>${keyList(world.integrations.keysOf(integration), contract)}</div>
    <details class="form">
      <summary>Issue a key</summary>
      ${controlForm('', `POST /control/integrations/${integration_id}/keys`, PAGE, fields)}
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
      ${losingAct(`revoke-${key_id}`, `DELETE /control/keys/${key_id}`, PAGE, 'Revoke …', 'Revoke key')}</li>`,
  )}</ul>`
}

/** The part of a key that may be shown. With `keyForm: 'without_key_id'`, only the service knows the identifier. */
function shownKey(keyId: string, { keyPrefix, keyForm }: ServiceParts['contract']): string {
  return keyForm === 'without_key_id' ? `${keyPrefix}-… (${keyId})` : `${keyPrefix}_live_${keyId}.…`
}
