/** Draws what `tmux capture-pane -e` returns, with its colors, as an animated SVG. */

/** The colors of the codes 30 to 37, and of the bright codes 90 to 97. */
const COLORS = ['#1d1f27', '#ff7b72', '#6fdd8b', '#f2c063', '#82aaff', '#d2a8ff', '#76e3ea', '#d0d4de'];
const ATTRIBUTES = {
  1: { bold: true },
  2: { dim: true },
  4: { underlined: true },
  22: { bold: false, dim: false },
  24: { underlined: false },
  39: { color: undefined },
};
/** A style (ECMA-48, SGR), another escape sequence, such as a link, or text. */
const PART = /\x1b\[([\d;]*)m|\x1b[^m]*?[\\\x07]|([^\x1b]+)/g;

const FONT_PX = 13;
/** All common monospaced fonts are about 0.6 em wide. `textLength` makes each run exactly as wide. */
const COLUMN_PX = FONT_PX * 0.6;
const LINE_PX = 19;
const MARGIN_PX = 20;

/**
 * @param frames each with `captured`, and with `seconds`: how long it is shown
 * @param size in `columns` and `rows` of text
 * @param title what the recording shows, for people who do not see it
 */
export function toAnimatedSvg(frames, { columns, rows, title }) {
  const width = Math.ceil(columns * COLUMN_PX + 2 * MARGIN_PX);
  const height = rows * LINE_PX + 2 * MARGIN_PX;
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  let at = 0;
  const groups = frames.map(({ captured, seconds }, index) => {
    const [from, to] = [at, at + seconds].map((time) => `${((time / total) * 100).toFixed(2)}%`);
    at += seconds;
    const isLast = index === frames.length - 1;
    const before = index === 0 ? '' : '0%{opacity:0}';
    const keyframes = `@keyframes f${index}{${before}${from}{opacity:1}${isLast ? '' : `${to}{opacity:0}`}}`;
    return {
      css: `${keyframes}#f${index}{opacity:${isLast ? 1 : 0};animation:f${index} ${total}s step-end infinite}`,
      group: `<g id="f${index}">${toText(captured)}</g>`,
    };
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${toMarkup(title)}</title>
<style>
text{font:${FONT_PX}px "DejaVu Sans Mono",Menlo,Consolas,monospace;fill:#d0d4de;white-space:pre}
.b{font-weight:bold}.d{opacity:.65}.u{text-decoration:underline}
${groups.map(({ css }) => css).join('\n')}
@media (prefers-reduced-motion:reduce){g{animation:none!important}}
</style>
<rect width="${width}" height="${height}" rx="10" fill="#14161c"/>
${groups.map(({ group }) => group).join('\n')}
</svg>
`;
}

/** One `<text>` for each run of characters with one style. */
function toText(captured) {
  let style = {};
  let [column, row] = [0, 0];
  let svg = '';
  for (const [, codes, text] of captured.trimEnd().matchAll(PART)) {
    if (codes !== undefined) style = change(style, codes);
    for (const [index, line] of (text ?? '').split('\n').entries()) {
      if (index > 0) [column, row] = [0, row + 1];
      svg += toRun(line, style, column, row);
      column += line.length;
    }
  }
  return svg;
}

function toRun(line, { bold, dim, underlined, color }, column, row) {
  const start = line.length - line.trimStart().length;
  const text = line.trim();
  if (text === '') return '';
  const x = (MARGIN_PX + (column + start) * COLUMN_PX).toFixed(1);
  const y = MARGIN_PX + (row + 0.75) * LINE_PX;
  const classes = [bold && 'b', dim && 'd', underlined && 'u'].filter(Boolean).join(' ');
  const attributes = `${classes ? ` class="${classes}"` : ''}${color ? ` style="fill:${color}"` : ''}`;
  return `<text x="${x}" y="${y}" textLength="${(text.length * COLUMN_PX).toFixed(1)}"${attributes}>${toMarkup(text)}</text>`;
}

/** @param codes separated by semicolons; empty for 0. Those without an effect on the picture are ignored. */
function change(style, codes) {
  let changed = style;
  for (const code of codes.split(';').map(Number)) {
    const color = COLORS[code >= 90 ? code - 90 : code - 30];
    changed = code === 0 ? {} : Object.assign({}, changed, ATTRIBUTES[code], color && { color });
  }
  return changed;
}

function toMarkup(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
