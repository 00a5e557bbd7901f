import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { Integration } from '../world/integration.ts'
import type { World } from '../world/world.ts'
import { placeName } from './notes.ts'
import { type ConsoleParts, checkbox, fieldsOf, type Html, losingAct, page } from './page.ts'
import type { ShownOnce } from './shown-once.ts'

/** The page of the integrations and their keys (contract §2). */
export function mountIntegrations(pages: Hono, parts: ConsoleParts, shownOnce: ShownOnce): void {
  const { control } = parts

  pages.get('/console/integrations', (context) => context.html(integrationsPage(parts)))

  pages.post('/console/integrations', async (context) => {
    const channels = (await fieldsOf(context)).all('channels')
    control.createIntegration({ channels: channels.length === 0 ? undefined : channels })
    return context.redirect('/console/integrations', 303)
  })

  pages.post('/console/channels', async (context) => {
    control.createChannel({ name: (await fieldsOf(context)).text('name').trim() })
    return context.redirect('/console/integrations', 303)
  })

  pages.post('/console/integrations/:integration_id/keys', async (context) => {
    const scopes = (await fieldsOf(context)).all('scopes')
    const { key } = control.issueKey(context.req.param('integration_id'), { scopes })
    const advice = 'Store it in the configuration of the client, and keep it out of logs and URLs.'
    return context.redirect(shownOnce.keep({ title: 'API key', text: key, advice, next: '/console/integrations' }), 303)
  })

  pages.post('/console/keys/:key_id/revoke', (context) => {
    control.revokeKey(context.req.param('key_id'))
    return context.redirect('/console/integrations', 303)
  })
}

/** An integration, by the names of the places that it can access. */
export function integrationName(world: World, { places }: Integration): string {
  return places.map((place) => (place === 'personal' ? 'Personal notes' : placeName(world, place))).join(', ')
}

function integrationsPage(parts: ConsoleParts): Html {
  const { world } = parts
  return page(parts, {
    title: 'Integrations and keys',
    section: 'Keys',
    content: html`
      <div class="heading"><h1>Integrations and keys</h1></div>
      <section class="stack">${world.integrations.all().map((integration) => integrationCard(parts, integration))}</section>
      <section class="columns">
        <form class="card" method="post" action="/console/channels">
          <h2>Create a channel</h2>
          <label>Name <input name="name" required placeholder="Design" /></label>
          <div><button>Create channel</button></div>
        </form>
        <form class="card" method="post" action="/console/integrations">
          <h2>Create an integration</h2>
          ${channelBoxes(world)}
          <div><button>Create integration</button></div>
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

function integrationCard({ world, contract }: ConsoleParts, integration: Integration): Html {
  const { integration_id } = integration
  return html`<article class="card">
    <h2>${integrationName(world, integration)}</h2>
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

function keyList(keys: ReturnType<World['integrations']['keysOf']>, contract: ConsoleParts['contract']): Html {
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
function shownKey(keyId: string, { keyPrefix, keyForm }: ConsoleParts['contract']): string {
  return keyForm === 'without_key_id' ? `${keyPrefix}-… (${keyId})` : `${keyPrefix}_live_${keyId}.…`
}
