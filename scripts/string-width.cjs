// string-width, faster for what tables contain: cli-table3 measures each cell six times, most text is plain, and the rest is repeated,
// such as a status.
const stringWidth = require('../node_modules/string-width');

const widths = new Map();
const MAX_CACHED = 100;

module.exports = (text) => {
  if (/^[ -~]*$/.test(text)) return text.length;
  const width = widths.get(text) ?? stringWidth(text);
  if (widths.size < MAX_CACHED) widths.set(text, width);
  return width;
};
