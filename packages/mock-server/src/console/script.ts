/** What the pages do in the browser. Without it they work too, and stand still. */
export const SCRIPT = `'use strict'

// The parts of the page that are alive are replaced where they differ; what is open stays open, what has focus keeps it.
function takeOver(next) {
  for (const region of document.querySelectorAll('[data-live]')) {
    const fresh = next.getElementById(region.id)
    if (fresh === null) continue
    const open = new Map([...region.querySelectorAll('details[id]')].map((part) => [part.id, part.open]))
    for (const part of fresh.querySelectorAll('details[id]')) part.open = open.get(part.id) ?? part.open
    for (const part of region.querySelectorAll('[data-copied]')) fresh.querySelector('#' + part.id)?.replaceWith(part)
    if (fresh.isEqualNode(region)) continue
    const focused = region.contains(document.activeElement) ? document.activeElement.id : ''
    region.replaceWith(fresh)
    if (focused !== '') document.getElementById(focused)?.focus({ preventScroll: true })
  }
}

function keepUpToDate() {
  const page = location.pathname + location.search
  const updates = new EventSource('/console/live?page=' + encodeURIComponent(page))
  updates.onopen = () => document.body.classList.remove('offline')
  updates.onerror = () => document.body.classList.add('offline')
  updates.onmessage = ({ data }) => takeOver(new DOMParser().parseFromString(JSON.parse(data), 'text/html'))
  addEventListener('pagehide', () => updates.close())
  // Back from the cache of a browser, the page's connection is gone.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
}
if (document.querySelector('main [data-live]') !== null) keepUpToDate()

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button[data-copy]')
  if (button === null) return
  const source = document.getElementById(button.dataset.copy)
  getSelection().selectAllChildren(source)
  try {
    await navigator.clipboard.writeText(source.textContent)
    button.dataset.copied = button.textContent
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = button.dataset.copied
      delete button.dataset.copied
    }, 2000)
  } catch {
    button.textContent = 'Press Ctrl-C'
  }
})
`
