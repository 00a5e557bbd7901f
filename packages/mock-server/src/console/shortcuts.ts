import { html } from 'hono/html'

/** The keys that `script.ts` answers, in addition to those of the sections. */
const SHORTCUTS = [
  ['j', 'Next entry of the list'],
  ['k', 'Previous entry of the list'],
  ['Enter', 'Open the entry'],
  ['Esc', 'Leave the field, close this list, or go back to the list of entries'],
  ['/', 'Search'],
  ['?', 'Show this list'],
] as const

/** The dialog of the keyboard shortcuts. Single keys can be turned off, as WCAG 2.2 requires (2.1.4). */
export function shortcutsDialog(sections: readonly (readonly [name: string, key: string, path: string])[]) {
  const row = (keys: string, text: string) =>
    html`<div><dt>${keys.split(' ').map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${text}</dd></div>`
  return html`<dialog id="shortcuts" aria-labelledby="shortcuts-title">
    <form method="dialog" class="heading">
      <h2 id="shortcuts-title">Keyboard shortcuts</h2><button class="quiet">Close</button>
    </form>
    <dl class="keys">
      ${SHORTCUTS.map(([keys, text]) => row(keys, text))} ${sections.map(([name, key]) => row(`g ${key}`, name))}
    </dl>
    <label class="box"><input type="checkbox" id="shortcuts-on" checked /> Use keyboard shortcuts</label>
  </dialog>`
}
