/** The script of the pages. Without it they work too, but are not updated. */
export const SCRIPT = `'use strict'

// Replaces each live region that has changed. Open details stay open, and the focus is kept.
function update(next) {
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

function subscribe() {
  const page = location.pathname + location.search
  const updates = new EventSource('/console/live?page=' + encodeURIComponent(page))
  updates.onopen = () => document.body.classList.remove('offline')
  updates.onerror = () => document.body.classList.add('offline')
  updates.onmessage = ({ data }) => update(new DOMParser().parseFromString(JSON.parse(data), 'text/html'))
  addEventListener('pagehide', () => updates.close())
  // A page from the browser's cache has lost its connection.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
}
if (document.querySelector('main [data-live]') !== null) subscribe()

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
