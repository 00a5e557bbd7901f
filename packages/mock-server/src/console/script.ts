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

// Shows the fields that belong to the chosen alternative of a form.
function showFields() {
  for (const part of document.querySelectorAll('[data-when]')) {
    const chosen = part.closest('form').elements[part.dataset.when]?.value ?? part.dataset.values
    part.hidden = !part.dataset.values.split(' ').includes(chosen) && chosen !== part.dataset.values
  }
}
addEventListener('change', showFields)
showFields()

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button[data-copy]')
  if (button === null) return
  const source = document.getElementById(button.dataset.copy)
  getSelection().selectAllChildren(source)
  try {
    await navigator.clipboard.writeText(source.dataset.sent ?? source.textContent)
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

const shortcuts = document.getElementById('shortcuts')
const shortcutsOn = document.getElementById('shortcuts-on')
// Read at each key, because another tab may have changed it.
const areOn = () => localStorage.getItem('shortcuts') !== 'off'
shortcutsOn.addEventListener('change', () => localStorage.setItem('shortcuts', shortcutsOn.checked ? 'on' : 'off'))
document.getElementById('shortcuts-open').addEventListener('click', showShortcuts)

function showShortcuts() {
  shortcutsOn.checked = areOn()
  shortcuts.showModal()
}

function moveInList(step) {
  const entries = [...document.querySelectorAll('td.main > a')]
  const current = entries.findIndex((entry) => entry.closest('tr').contains(document.activeElement))
  entries[Math.max(0, Math.min(entries.length - 1, current + step))]?.focus()
}

const keys = {
  '?': showShortcuts,
  '/': () => document.getElementById('search')?.select(),
  j: () => moveInList(1),
  k: () => moveInList(-1),
  Escape: () => document.querySelector('.up a')?.click(),
}
let isGoing = false
addEventListener('keydown', (event) => {
  // The browser closes the dialog, and keeps its own keys.
  if (event.ctrlKey || event.metaKey || event.altKey || shortcuts.open || !areOn()) return
  if (event.target.closest('input, select, textarea')) {
    if (event.key === 'Escape') event.target.blur()
    return
  }
  const section = isGoing && [...document.querySelectorAll('[data-key]')].find(({ dataset }) => dataset.key === event.key)
  const act = section ? () => section.click() : keys[event.key]
  isGoing = event.key === 'g'
  if (act === undefined) return
  event.preventDefault()
  act()
})
`
