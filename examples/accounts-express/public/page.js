const byId = (id) => document.getElementById(id)
byId('refused').hidden = location.search !== '?refused'
new EventSource('/account').onmessage = ({ data }) => {
  const { state, events, notes = [] } = JSON.parse(data)
  byId('connect').hidden = state !== 'disconnected'
  byId('disconnect').hidden = state === 'disconnected'
  byId('state').textContent = `${state}, events: ${events ?? 'none'}`
  // `textContent` shows markup in a title or a summary as text.
  const texts = notes.map(({ title, summary }) => [title ?? 'Untitled', summary].filter(Boolean).join(': '))
  byId('notes').replaceChildren(
    ...texts.map((textContent) => Object.assign(document.createElement('li'), { textContent })),
  )
}
