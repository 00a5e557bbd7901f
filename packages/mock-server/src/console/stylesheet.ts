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
  --bad: light-dark(#a9352b, #f0958a);
  --waiting: light-dark(#84590c, #e2b968);
}
*, *::before, *::after { box-sizing: border-box }
html { font: 15px/1.55 system-ui, sans-serif; background: var(--ground); color: var(--ink); -webkit-text-size-adjust: 100% }
body, h1, h2, h3, p, ol, dl, dd, fieldset { margin: 0; padding: 0 }
h1 { font-size: 1.5rem; overflow-wrap: anywhere }
h2 { font-size: 1.05rem }
h3 { font-size: 0.8rem; margin-top: 0.9rem }
code, pre, .url, .headers { font-family: ui-monospace, monospace; font-size: 0.86em; overflow-wrap: anywhere }
a { color: var(--accent); text-underline-offset: 0.2em }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px }
main:focus { outline: none }
.dim, .url, .facts dt, .headers dt { color: var(--dim) }
[hidden] { display: none }
.skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 1rem; background: var(--paper); z-index: 1 }
.skip:focus { top: 0.5rem }

header { background: var(--paper); border-bottom: 1px solid var(--line); padding-top: 1rem }
header > *, main, .lost { max-width: 66rem; margin-inline: auto; padding-inline: clamp(1rem, 4vw, 2rem) }
.top, nav, .heading, .acts, .search, .pager { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 1rem }
.heading { justify-content: space-between }
.name { font-weight: 600; color: inherit; text-decoration: none }
.clock { margin-left: auto; white-space: nowrap }
nav[aria-label=Sections] a { padding: 0.55rem 0; color: var(--dim); text-decoration: none; border-bottom: 2px solid transparent }
nav[aria-label=Sections] a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent) }
.lost { display: none; padding-block: 0.6rem; color: var(--bad) }
.offline .lost { display: block }
main, main > section, .card, .card form, .empty { display: grid; gap: 1rem; align-content: start; grid-template-columns: minmax(0, 1fr) }
main { padding-block: 2rem 5rem }
.up a::before { content: "← " / "" }
main > section.columns, .columns { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)) }
.card, .code, table, .empty { background: var(--paper); border: 1px solid var(--line); border-radius: 10px }
.card { padding: 1.25rem }
.empty { padding: 3rem 1.5rem; text-align: center; justify-items: center }

button, .button { font: inherit; padding: 0.42rem 0.85rem; border-radius: 7px; border: 1px solid var(--edge); background: var(--paper); color: var(--ink); text-decoration: none; cursor: pointer }
button:hover, .button:hover { border-color: var(--accent); color: var(--accent) }
button.primary, .button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
button.quiet { font-size: 0.85em; padding: 0.2rem 0.6rem }
summary { cursor: pointer; width: fit-content; color: var(--accent) }
.losing summary { color: var(--bad) }
details form, details[open] > h3 { margin-top: 0.8rem }
label { display: grid; gap: 0.25rem; font-weight: 500 }
.field .dim { font-size: 0.85em }
input, select, textarea { font: inherit; width: 100%; min-width: 0; padding: 0.45rem 0.65rem; border: 1px solid var(--edge); border-radius: 7px; background: var(--ground); color: inherit }
fieldset { border: 0; display: grid; gap: 0.25rem }
.box { display: flex; align-items: center; gap: 0.5rem; font-weight: 400 }
.box input { width: auto }
.search { align-items: end }
.pager span { margin-right: auto; color: var(--dim) }
kbd { padding: 0.15rem 0.35rem; border: 1px solid var(--edge); border-radius: 4px; background: var(--sunken) }
dialog { color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 10px; padding: 1.25rem; width: min(30rem, calc(100% - 2rem)) }
.keys > div { display: grid; grid-template-columns: 5rem 1fr; gap: 0.75rem; margin-block: 0.5rem }
@media (scripting: none), (hover: none) { #shortcuts-open { display: none } }

.mark { display: inline-block; padding: 0.1rem 0.55rem; border-radius: 99px; font-size: 0.85rem; border: 1px solid currentColor; color: var(--dim) }
.good { color: var(--good) }
.bad { color: var(--bad) }
.waiting { color: var(--waiting) }
.dots { letter-spacing: 0.25em; white-space: nowrap }
.dots i { font-style: normal }
table { width: 100%; border-spacing: 0 }
th { text-align: left; font-size: 0.82rem; font-weight: 500; color: var(--dim) }
th, td { padding: 0.6rem 0.9rem; overflow-wrap: anywhere }
td { border-top: 1px solid var(--line); font-size: 0.93em }
td.main .dim { display: block; font-size: 0.82rem }
td time, td .mark { white-space: nowrap }
.label { display: none; color: var(--dim) }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 0.75rem 1.5rem }
.facts dd { overflow-wrap: anywhere }
.headers > div { display: flex; flex-wrap: wrap; gap: 0 0.75rem }
.time-line { list-style: none; padding: 0; display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr) }
.code { position: relative; background: var(--sunken) }
.code pre { margin: 0; padding: 2.6rem 0.9rem 0.8rem; white-space: pre-wrap }
.code button { position: absolute; right: 0.5rem; top: 0.5rem }
.now { font-size: 1.6rem; font-weight: 600 }

@media (max-width: 46rem) {
  table, tbody, tr, td { display: block }
  thead { display: none }
  tr { padding: 0.6rem 0; border-top: 1px solid var(--line) }
  td { border: 0; padding: 0.1rem 1rem }
  .label { display: inline }
}
`
