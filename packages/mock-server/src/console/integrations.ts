import { OptionError } from '@notewire/protocol'
import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { Integration } from '../world/integration.ts'
import type { World } from '../world/world.ts'
import type { ConsoleParts } from './console-parts.ts'
import { fieldsOf } from './fields.ts'
import type { Html } from './markup.ts'
import { placeName } from './note-words.ts'
import { losingAct, page } from './page.ts'
import type { ShownOnce } from './shown-once.ts'

/** The integrations and their keys: make one, issue a key with scopes, shown once, revoke it (contract §2). */
export function mountIntegrations(pages: Hono, parts: ConsoleParts, shownOnce: ShownOnce): void {
  const { world } = parts

  pages.get('/console/integrations', (context) => context.html(integrationsPage(parts)))

  pages.post('/console/integrations', async (context) => {
    const channels = (await fieldsOf(context)).all('channels')
    world.createIntegration(channels.length === 0 ? ['personal'] : channels)
    return context.redirect('/console/integrations', 303)
  })

  pages.post('/console/channels', async (context) => {
    const name = (await fieldsOf(context)).text('name').trim()
    if (name === '') throw new OptionError('name', 'a channel needs a name. Go back and type one.')
    world.createChannel(name)
    return context.redirect('/console/integrations', 303)
  })

  pages.post('/console/integrations/:integration_id/keys', async (context) => {
    const scopes = (await fieldsOf(context)).all('scopes').filter((scope) => world.scopes.includes(scope))
    const integration = world.integrations
      .all()
      .find(({ integration_id }) => integration_id === context.req.param('integration_id'))
    if (integration === undefined) return context.notFound()
    if (scopes.length === 0)
      throw new OptionError('scopes', 'a key without a scope could do nothing. Go back and tick one.')
    const { key } = world.integrations.issueKey(integration, scopes)
    const advice = 'Put it where the client finds it, and out of logs and URLs.'
    return context.redirect(shownOnce.keep({ title: 'API key', text: key, advice, next: '/console/integrations' }), 303)
  })

  pages.post('/console/keys/:key_id/revoke', (context) => {
    world.integrations.revokeKeyOf(context.req.param('key_id'))
    return context.redirect('/console/integrations', 303)
  })
}

/** What an integration is for, in words. */
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
          <h2>Make a channel</h2>
          <label>Name <input name="name" required placeholder="Design" /></label>
          <div><button>Make it</button></div>
        </form>
        <form class="card" method="post" action="/console/integrations">
          <h2>Make an integration</h2>
          ${channelBoxes(world)}
          <div><button>Make it</button></div>
        </form>
      </section>`,
  })
}

function channelBoxes(world: World): Html {
  const channels = world.channels()
  if (channels.length === 0)
    return html`<p class="dim">For the personal notes. Make a channel first for one that sees a channel.</p>`
  return html`<fieldset><legend>Channels that its keys see</legend>
    ${channels.map(({ channel_id, name }) => html`<label class="box"><input type="checkbox" name="channels" value="${channel_id}" /> ${name}</label>`)}
    <p class="dim">None: the personal notes.</p></fieldset>`
}

function integrationCard({ world, contract }: ConsoleParts, integration: Integration): Html {
  const { integration_id } = integration
  return html`<article class="card">
    <h2>${integrationName(world, integration)}</h2>
    <p class="dim"><code>${integration_id}</code></p>
    <div id="keys-${integration_id}" data-live>${keyList(world.integrations.keysOf(integration), contract.keyPrefix)}</div>
    <details class="form">
      <summary>Issue a key</summary>
      <form method="post" action="/console/integrations/${integration_id}/keys">
        <fieldset><legend>Scopes</legend>
          ${world.scopes.map((scope) => html`<label class="box"><input type="checkbox" name="scopes" value="${scope}" checked /> ${scope}</label>`)}
        </fieldset>
        <div><button class="primary">Issue</button></div>
      </form>
    </details>
  </article>`
}

function keyList(keys: ReturnType<World['integrations']['keysOf']>, prefix: string): Html {
  if (keys.length === 0) return html`<p>No key is in force. Issue one to call the API.</p>`
  return html`<ul class="rows">${keys.map(
    ({
      key_id,
      scopes,
    }) => html`<li><div><code>${prefix}_live_${key_id}.…</code> <span class="scopes">${scopes.join(' ')}</span></div>
      ${losingAct(`revoke-${key_id}`, `/console/keys/${key_id}/revoke`, 'Revoke …', 'Revoke it')}</li>`,
  )}</ul>`
}
