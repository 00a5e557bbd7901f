export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#f7f6f3, #141618);
  --paper: light-dark(#ffffff, #1c1f22);
  --sunken: light-dark(#f1efea, #131517);
  --ink: light-dark(#22262a, #e6e4df);
  --dim: light-dark(#5b6168, #9da3aa);
  --line: light-dark(#e3e0d9, #2d3135);
  --edge: light-dark(#c9c5bc, #43494f);
  --accent: light-dark(#1d6476, #7fc3d4);
  --on-accent: light-dark(#ffffff, #10242a);
  --good: light-dark(#23714a, #74c597);
  --good-ground: light-dark(#e3f2e9, #173225);
  --bad: light-dark(#a9352b, #f0958a);
  --bad-ground: light-dark(#fbe8e5, #3d1e1b);
  --waiting: light-dark(#84590c, #e2b968);
  --waiting-ground: light-dark(#faefd6, #362a12);
  --quiet-ground: light-dark(#eceae5, #2a2e32);
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --sans: -apple-system, "Segoe UI", Roboto, Ubuntu, Cantarell, "Noto Sans", "Liberation Sans", "Helvetica Neue", Arial, system-ui, sans-serif;
}
*, *::before, *::after { box-sizing: border-box }
html { font: 15px/1.55 var(--sans); background: var(--ground); color: var(--ink); -webkit-text-size-adjust: 100% }
body { margin: 0 }
header > *, main, .lost { max-width: 66rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2rem) }
h1, h2, h3, p, ul, ol, dl, dd, fieldset { margin: 0; padding: 0 }
h1 { font-size: 1.5rem; line-height: 1.3; font-weight: 600; letter-spacing: -0.012em; overflow-wrap: anywhere }
h2 { font-size: 1.05rem; font-weight: 600 }
h3 { font-size: 0.8rem; font-weight: 600; color: var(--dim) }
code, pre, .url, .headers dd, .base, .scopes { font-family: var(--mono); font-size: 0.86em }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.2em }
a:not(:hover) { text-decoration-color: color-mix(in srgb, currentColor 35%, transparent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px }
main:focus { outline: none }
.dim, em, .narrowed { color: var(--dim) }
.skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 1rem; background: var(--paper); z-index: 1 }
.skip:focus { top: 0.5rem }

header { background: var(--paper); border-bottom: 1px solid var(--line) }
.top { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 1rem; padding-top: 1rem }
.name { font-weight: 600; color: inherit; text-decoration: none; letter-spacing: -0.01em }
.base { color: var(--dim); overflow-wrap: anywhere }
kbd { font: 500 0.85em/1 var(--mono); padding: 0.15rem 0.35rem; border: 1px solid var(--edge); border-radius: 4px; background: var(--sunken) }
.clock { margin-left: auto; font-size: 0.9em; font-variant-numeric: tabular-nums; white-space: nowrap }
nav[aria-label=Sections] { display: flex; flex-wrap: wrap; gap: 0 1.5rem; padding-top: 0.5rem }
nav[aria-label=Sections] a { padding: 0.55rem 0 0.6rem; color: var(--dim); text-decoration: none; border-bottom: 2px solid transparent; margin-bottom: -1px }
nav[aria-label=Sections] a:hover { color: var(--ink) }
nav[aria-label=Sections] a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent) }
.lost { display: none; padding-block: 0.6rem; color: var(--bad) }
.offline .lost { display: block }

main { padding-block: 2rem 5rem; display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr) }
main > section, .stack { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr) }
.heading { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.75rem 1.5rem }
.heading h1 { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.75rem }
.up { font-size: 0.9em; margin-bottom: -0.75rem }
.up a::before { content: "← " / "" }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 1.25rem; display: grid; gap: 0.85rem; align-content: start; grid-template-columns: minmax(0, 1fr) }
details.card { display: block }
.columns.columns { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)) }
.columns form { display: grid; gap: 0.85rem; align-content: start }
.empty { padding: 3rem 1.5rem; text-align: center; border: 1px dashed var(--edge); border-radius: 10px; display: grid; gap: 0.6rem; justify-items: center }
.empty p { max-width: 34rem; color: var(--dim) }
.empty .button { margin-top: 0.5rem }

button, .button { font: inherit; font-size: 0.93em; font-weight: 500; line-height: 1.4; display: inline-block; padding: 0.42rem 0.85rem; border-radius: 7px; border: 1px solid var(--edge); background: var(--paper); color: var(--ink); text-decoration: none; cursor: pointer; white-space: nowrap }
button:hover, .button:hover { border-color: var(--accent); color: var(--accent) }
button.primary, .button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
button.primary:hover, .button.primary:hover { filter: brightness(1.08); color: var(--on-accent) }
.empty a.button.primary { color: var(--on-accent) }
button.quiet { font-size: 0.85em; padding: 0.2rem 0.6rem }
.inline { display: inline-block; justify-self: start }
.acts { display: flex; flex-wrap: wrap; gap: 0.5rem }
summary { cursor: pointer; font-weight: 500 }
details.form > summary { color: var(--accent) }
details.form > form { margin-top: 1rem; display: grid; gap: 0.85rem; max-width: 36rem }
.losing > summary { color: var(--bad); font-weight: 450; font-size: 0.93em; width: fit-content }
.losing button { margin-top: 0.5rem; color: var(--bad); border-color: currentColor }
label { display: grid; gap: 0.25rem; font-weight: 500; font-size: 0.93em }
input, select, textarea { font: inherit; font-weight: 400; width: 100%; min-width: 0; padding: 0.45rem 0.65rem; border: 1px solid var(--edge); border-radius: 7px; background: var(--ground); color: inherit }
textarea { resize: vertical; min-height: 3rem }
::placeholder { color: var(--dim); opacity: 0.85 }
fieldset { border: 0; display: grid; gap: 0.25rem }
legend { padding: 0; font-weight: 500; font-size: 0.93em; margin-bottom: 0.25rem }
.box { display: flex; align-items: center; gap: 0.5rem; font-weight: 400 }
.box input { width: auto; accent-color: var(--accent) }

.search { display: flex; gap: 0.5rem; flex: 1 1 18rem; max-width: 34rem }
.search input { background: var(--paper) }
.pager { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; font-variant-numeric: tabular-nums }
.pager span { margin-right: auto; color: var(--dim) }
dialog { color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 10px; padding: 1.25rem; width: min(30rem, calc(100% - 2rem)) }
dialog::backdrop { background: rgb(0 0 0 / 45%) }
.keys { display: grid; gap: 0.5rem; margin-block: 1rem }
.keys > div { display: grid; grid-template-columns: 5rem 1fr; gap: 0.75rem; align-items: baseline }
@media (scripting: none), (hover: none) { #shortcuts-open { display: none } }

.filter { display: flex; flex-wrap: wrap; gap: 0.15rem; font-size: 0.9em }
.filter a { padding: 0.2rem 0.7rem; border-radius: 99px; color: var(--dim); text-decoration: none }
.filter a:hover { color: var(--ink) }
.filter a[aria-current] { background: var(--quiet-ground); color: var(--ink) }
.mark { font: 500 0.82rem/1.4 var(--sans); letter-spacing: 0; padding: 0.1rem 0.55rem; border-radius: 99px; white-space: nowrap; display: inline-block; vertical-align: middle; background: var(--quiet-ground); color: var(--dim) }
.mark.good { background: var(--good-ground); color: var(--good) }
.mark.bad { background: var(--bad-ground); color: var(--bad); white-space: normal }
.mark.waiting { background: var(--waiting-ground); color: var(--waiting) }

table { width: 100%; border-collapse: collapse; background: var(--paper); border: 1px solid var(--line); border-radius: 10px; border-spacing: 0; border-collapse: separate; overflow: hidden }
th { text-align: left; font-size: 0.82rem; font-weight: 500; color: var(--dim); padding: 0.6rem 0.9rem; background: var(--sunken) }
td { padding: 0.7rem 0.9rem; border-top: 1px solid var(--line); vertical-align: middle }
tr > :first-child { padding-left: 1.25rem }
tr > :last-child { padding-right: 1.25rem }
td.main { max-width: 24rem }
td.main > a { font-weight: 500; overflow-wrap: anywhere }
td .dim a, td.url a { color: inherit; text-decoration-color: var(--edge) }
td .dim code, td.url code { font-size: inherit }
td.main .dim, td.when .dim { display: block; font-size: 0.82rem }
td.main .dim { font-family: var(--mono); overflow-wrap: anywhere }
td.url { overflow-wrap: anywhere; color: var(--dim); max-width: 19rem }
td.when { white-space: nowrap; font-variant-numeric: tabular-nums }
td.acts, th.acts { display: table-cell; text-align: right }
td .label { display: none }
tbody tr:hover { background: color-mix(in srgb, var(--sunken) 45%, transparent) }

.success { --look: var(--good) }
.failure { --look: var(--bad) }
.flying { --look: var(--waiting) }
.dots { font-size: 1.15em; letter-spacing: 0.25em; white-space: nowrap }
.dots i { font-style: normal; color: var(--look, var(--edge)) }
.schedule { list-style: none; display: flex; background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 1.25rem 0.5rem }
.schedule li { position: relative; flex: 1; text-align: center; font-size: 0.82rem; color: var(--dim); display: grid; justify-items: center; gap: 0.35rem }
.schedule li::before { content: ""; display: block; width: 1rem; height: 1rem; border-radius: 50%; border: 2px solid var(--look, var(--edge)); background: var(--look, var(--paper)); position: relative; z-index: 1 }
.schedule li::after { content: ""; position: absolute; background: var(--line); height: 2px; top: 0.45rem; right: 50%; width: 100% }
.schedule li:first-child::after { display: none }
.schedule .never::before { border-color: var(--line) }
@media (prefers-reduced-motion: no-preference) {
  .dots .flying, .flying::before { animation: fly 1.2s ease-in-out infinite alternate }
  @keyframes fly { to { opacity: 0.35 } }
}

.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 0.75rem 1.5rem }
.facts dt { font-size: 0.82rem; color: var(--dim) }
.facts dd { overflow-wrap: anywhere }
.time-line { list-style: none; display: grid; margin-left: 0.45rem; border-left: 2px solid var(--line) }
.time-line > li { --look: var(--bad); position: relative; padding: 0 0 1.5rem 1.5rem; display: grid; gap: 0.2rem; grid-template-columns: minmax(0, 1fr) }
.time-line > li::before { content: ""; position: absolute; left: -0.5rem; top: 0.4rem; width: 0.85rem; height: 0.85rem; border-radius: 50%; background: var(--look); box-shadow: 0 0 0 3px var(--ground) }
.time-line > li:last-child { padding-bottom: 0 }
.time-line > .succeeded { --look: var(--good) }
.time-line > .in_flight { --look: var(--waiting) }
.time-line > .planned::before { background: var(--ground); border: 2px solid var(--edge) }
.time-line > .planned { color: var(--dim) }
.time-line .what { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center }
.time-line p { font-variant-numeric: tabular-nums }
.timing > * + *::before { content: "· "; color: var(--dim) }
.time-line details { margin-top: 0.35rem }
.time-line summary { font-size: 0.93em; color: var(--accent); width: fit-content; font-weight: 450 }
.time-line details[open] { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 0.9rem 1.1rem 1.1rem }
.time-line details h3 { margin: 0.9rem 0 0.3rem }
.headers > div { display: flex; flex-wrap: wrap; gap: 0 0.75rem; padding: 0.12rem 0 }
.headers dt { font-family: var(--mono); font-size: 0.86em; color: var(--dim); min-width: 12rem }
.headers dd { overflow-wrap: anywhere; min-width: 0 }
.code { position: relative; background: var(--sunken); border: 1px solid var(--line); border-radius: 8px }
.code pre { margin: 0; padding: 0.8rem 6.5rem 0.8rem 0.9rem; white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5 }
.code button { position: absolute; right: 0.5rem; top: 0.5rem }
.rows { list-style: none; display: grid }
.rows li { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.5rem 1rem; padding: 0.6rem 0; border-top: 1px solid var(--line) }
.rows li:first-child { border-top: 0 }
.rows li > :first-child { overflow-wrap: anywhere; min-width: 0 }
.scopes { color: var(--dim); display: block }
.once { border-color: var(--accent) }
.now { font-size: 1.6rem; font-weight: 600; letter-spacing: -0.01em; font-variant-numeric: tabular-nums }
.jumps { display: flex; flex-wrap: wrap; gap: 0.4rem }
.line { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem }
.line label { display: flex; align-items: center; gap: 0.5rem }
.line input { width: 8rem }
.pair { display: grid; gap: 0.85rem; grid-template-columns: 1fr 1fr; align-items: end }

@media (max-width: 46rem) {
  .clock { margin-left: 0 }
  main { padding-block: 1.5rem 4rem }
  nav[aria-label=Sections] { gap: 0 0.6rem; font-size: 0.87em }
  table, tbody { display: block }
  thead { display: none }
  tbody tr { display: grid; grid-template-columns: 1fr auto; gap: 0.3rem 0.75rem; align-items: center; padding: 0.9rem 1rem }
  tbody tr + tr { border-top: 1px solid var(--line) }
  td, tr > :first-child, tr > :last-child { display: block; padding: 0; border: 0; max-width: none }
  td.main, td.url { grid-column: 1 / -1; max-width: none }
  td.when { font-size: 0.85rem; color: var(--dim) }
  td.acts { display: block }
  td.acts:empty { display: none }
  td .label { display: inline; color: var(--dim) }
  .facts { grid-template-columns: 1fr 1fr }
  .facts > div:has(code) { grid-column: 1 / -1 }
  .headers dt { min-width: 0; width: 100% }
  .schedule { padding: 1rem 0 }
  .schedule li { font-size: 0.72rem }
  .code pre { padding: 2.6rem 0.8rem 0.8rem }
}
`
