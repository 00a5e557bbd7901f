import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Owners } from '../world/owners.ts'
import type { World } from '../world/world.ts'
import { keptFields } from './log-view.ts'
import type { Html } from './page.ts'

/** The owner whose things a page lists and creates. A page of a service with one owner says nothing of owners. */
interface OwnerChoice {
  readonly owner_id: string | undefined
  /** The owner of what is created: the chosen one, or the first. */
  readonly world: World
  readonly select: Html | ''
  /** The field of a form that creates something for the owner. */
  readonly field: Html
}

export function ownerChoice(owners: Owners, context: Context): OwnerChoice {
  const owner_id = context.req.query('owner') || undefined
  const world = owners.find(owner_id)
  return {
    owner_id,
    world,
    select: isOne(owners) ? '' : ownerSelect(owners, owner_id, context),
    field: html`<input type="hidden" name="owner_id" value="${world.owner_id}" />
      ${isOne(owners) ? '' : html`<p class="dim">For the owner ${world.name}.</p>`}`,
  }
}

/** The name of an owner, if there are several. */
export function ownerName(owners: Owners, owner_id: string): string | undefined {
  return isOne(owners) ? undefined : owners.find(owner_id).name
}

export function ownerHead(owners: Owners): Html | '' {
  return isOne(owners) ? '' : html`<th>Owner</th>`
}

export function ownerCell(owners: Owners, owner_id: string): Html | '' {
  return isOne(owners) ? '' : html`<td><span class="label">owner</span> ${ownerName(owners, owner_id)}</td>`
}

function isOne(owners: Owners): boolean {
  return owners.all().length === 1
}

function ownerSelect(owners: Owners, chosen: string | undefined, context: Context): Html {
  const option = ({ owner_id, name }: World) =>
    html`<option value="${owner_id}" ${owner_id === chosen ? html`selected` : ''}>${name}</option>`
  return html`<form method="get" class="line">
    ${keptFields(context, 'owner', 'skip', 'before')}
    <label>Owner <select name="owner"><option value="">All</option>${owners.all().map(option)}</select></label>
    <button>Show</button></form>`
}
