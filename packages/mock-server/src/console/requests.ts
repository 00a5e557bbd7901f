import type { Context } from 'hono'
import { html } from 'hono/html'
import { type KeptAnswer, MAX_SHOWN_REQUESTS } from '../api/request-log.ts'
import type { ServiceParts } from '../api/service-parts.ts'
import { type LoggedRequest, newestRequests, requestOf } from '../control/request-operations.ts'
import { stretch } from './delivery-attempts.ts'
import { endpointLink, noteLink } from './links.ts'
import { pager, partOfLog, searchForm } from './log-view.ts'
import { codeBlock, emptyList, facts, fieldTable, type Html, instant, mark, page } from './page.ts'

/** The log of the requests to the REST API. */
export function requestsPage(parts: ServiceParts, context: Context): Html {
  const { search, part } = partOfLog(context)
  const { requests, ...position } = newestRequests(parts, search, part)
  return page(parts, {
    title: 'Requests',
    section: 'Requests',
    content: html`
      <div class="heading"><h1>API requests</h1>
        ${searchForm(context, 'Search requests', 'Path, method, key, or status such as 404 or 4xx')}</div>
      <section id="requests" data-live>
        ${requests.length === 0 ? noRequests(parts, search) : requestTable(requests)}
        ${pager(context, position, ({ request_id }) => request_id)}
      </section>`,
  })
}

function noRequests({ baseUrl }: ServiceParts, search: string | undefined): Html {
  if (search) return emptyList('No matching requests', 'New requests appear here without a reload.')
  return emptyList(
    'No requests yet',
    html`Requests to <code>${baseUrl()}/v1</code> appear here without a reload. The log contains the last ${MAX_SHOWN_REQUESTS}.`,
  )
}

function requestTable(requests: readonly LoggedRequest[]): Html {
  return html`<table class="requests">
    <thead><tr><th>Request</th><th>Answer</th><th>Key</th><th>Duration</th><th>When</th></tr></thead>
    <tbody>${requests.map(
      (request) => html`<tr>
        <td class="main"><a id="${request.request_id}" href="/console/requests/${request.request_id}">${request.method} ${request.path}</a>
          <span class="dim">${queryText(request)}</span></td>
        <td>${answerMark(request)}</td>
        <td>${keyText(request)}</td>
        <td class="number"><span class="label">took</span> ${stretch(request.duration_ms)}</td>
        <td class="when">${instant(request.at)}</td>
      </tr>`,
    )}</tbody>
  </table>`
}

/** @throws `MockServerError` `request_unknown` */
export function requestPage(parts: ServiceParts, request_id: string): Html {
  const request = requestOf(parts, request_id)
  const { method, path, query, body, answer } = request
  return page(parts, {
    title: `${method} ${path}`,
    section: 'Requests',
    content: html`
      <p class="up"><a href="/console/requests">API requests</a></p>
      <section id="request" data-live>
        <div class="heading"><h1>${method} ${path} ${answerMark(request)}</h1></div>
        ${facts([
          ['Identifier', html`<code>${request_id}</code>`],
          ['When', instant(request.at)],
          ['Duration', stretch(request.duration_ms)],
          ['Key', keyText(request)],
          ['Note', noteLink(parts, /note_\w+/.exec(path)?.[0])],
          ['Endpoint', endpointLink(parts, /whe_\w+/.exec(path)?.[0])],
        ])}
        ${Object.keys(query).length === 0 ? '' : html`<h2>Query</h2>${fieldTable(query)}`}
        ${body === '' ? '' : html`<h2>Body</h2>${codeBlock('body', body)}`}
        <h2>Answer</h2>
        ${answer === undefined ? html`<p class="dim">There was none, or it is no longer kept.</p>` : answerText(answer)}
      </section>`,
  })
}

function answerText({ content_type = 'no content type', length, body }: KeptAnswer): Html {
  const isCutOff = body.length < length
  return html`<p>${content_type}, ${length.toLocaleString('en')} characters</p>
    ${body === '' ? '' : codeBlock('answer', body)}
    ${isCutOff ? html`<p class="dim">The rest of the answer was not kept.</p>` : ''}`
}

function answerMark({ status }: LoggedRequest): Html {
  if (status === undefined) return mark('quiet', 'no answer')
  return mark(status < 400 ? 'good' : 'bad', String(status))
}

function keyText({ authentication, key_id }: LoggedRequest): Html {
  if (authentication === 'accepted') return html`<code>${key_id}</code>`
  return mark('bad', authentication)
}

function queryText({ query }: LoggedRequest): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}
