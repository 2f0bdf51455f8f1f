/** Of every page that is made here; light or dark as the reader's system is. */
export const STYLE = `:root {
  color-scheme: light dark;
  --text: light-dark(#16181d, #e8eaee);
  --faint: light-dark(#5b6270, #a2a9b6);
  --ground: light-dark(#f4f5f7, #14161a);
  --card: light-dark(#ffffff, #1d2026);
  --line: light-dark(#d5d9e0, #343943);
  --accent: light-dark(#071455, #4987df);
  --on-accent: light-dark(#ffffff, #0b0d10);
  --bad: light-dark(#680808, #ff8d8d);
}
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); }
main { max-width: 28rem; overflow-wrap: break-word; margin: 8vh auto 4rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
main.wide { max-width: 50rem; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.25; }
h2 { margin: 2rem 0 .5rem; font-size: 1.05rem; }
p { margin: 0 0 1rem; }
.faint { color: var(--faint); font-size: .9rem; }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
input, textarea, select { width: 100%; padding: .6rem .7rem; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: .4rem; }
button, .button { display: inline-block; margin-top: 1.25rem; padding: .6rem 1.2rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: .4rem; text-decoration: none; cursor: pointer; }
button.second, .button.second { color: var(--text); background: transparent; border-color: var(--line); }
.others { margin-top: 1.75rem; border-top: 1px solid var(--line); }
.others .button { display: block; text-align: center; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
.problem { padding: .7rem .9rem; color: var(--bad); border: 1px solid var(--bad); border-radius: .4rem; }
article { margin-top: 1.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
pre { margin: .5rem 0 0; font: .9rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 32rem) { main { margin: 0; min-height: 100vh; border: 0; border-radius: 0; } }
`;
