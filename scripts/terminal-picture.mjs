/** Converts the output of `tmux capture-pane -e`, with its colors, to an HTML page. */

/** The colors of the codes 30 to 37, and of the bright codes 90 to 97. */
const COLORS = ['#1d1f27', '#ff7b72', '#6fdd8b', '#f2c063', '#82aaff', '#d2a8ff', '#76e3ea', '#d0d4de'];
/** A style (ECMA-48, SGR), another escape sequence, such as a link, or text. */
const PART = /\x1b\[([\d;]*)m|\x1b[^m]*?[\\\x07]|([^\x1b]+)/g;

export function toHtml(captured) {
  let style = {};
  let html = '';
  for (const [, codes, text] of captured.trimEnd().matchAll(PART)) {
    if (text !== undefined) html += `<span style="${toCss(style)}">${toMarkup(text)}</span>`;
    else if (codes !== undefined) style = change(style, codes);
  }
  return `<!doctype html><style>
    body { margin: 0; background: transparent; }
    pre { display: inline-block; margin: 0; padding: 20px 24px; border-radius: 10px; background: #14161c; color: #d0d4de;
      font: 13px/1.45 "DejaVu Sans Mono", Menlo, Consolas, monospace; }
  </style><pre>${html}</pre>`;
}

/** @param codes separated by semicolons; empty for 0 */
function change(style, codes) {
  return codes.split(';').map(Number).reduce(apply, style);
}

/** Applies one code: 0 resets the style, 1 to 7 set an attribute, 22 to 27 and 39 reset one. Others are ignored. */
function apply(style, code) {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 4) return { ...style, underlined: true };
  if (code === 7) return { ...style, reversed: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 24) return { ...style, underlined: false };
  if (code === 27) return { ...style, reversed: false };
  if (code === 39) return { ...style, color: undefined };
  if (code >= 30 && code <= 37) return { ...style, color: COLORS[code - 30] };
  if (code >= 90 && code <= 97) return { ...style, color: COLORS[code - 90] };
  return style;
}

function toCss({ bold, dim, underlined, reversed, color = 'inherit' }) {
  return [
    reversed ? 'background:#2e3547' : '',
    `color:${color}`,
    bold ? 'font-weight:bold' : '',
    dim ? 'opacity:.65' : '',
    underlined ? 'text-decoration:underline' : '',
  ].join(';');
}

function toMarkup(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
