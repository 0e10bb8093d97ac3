// Writes what JSON.stringify with each option makes of each JSON text on standard input.
import { readFileSync } from 'node:fs';

const payloads = JSON.parse(readFileSync(0, 'utf8'));
const sort = (value) => {
  if (Array.isArray(value)) return value.map(sort);
  if (Object(value) !== value) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sort(value[name])]));
};
const indents = { '': undefined, 'an indent of 2': 2, 'an indent of 4': 4 };
const orders = { '': (value) => value, 'sorted fields': sort };
const ends = { '': '', 'a line feed at its end': '\n' };
const ways = {};
for (const [indentName, indent] of Object.entries(indents)) {
  for (const [orderName, order] of Object.entries(orders)) {
    for (const [endName, end] of Object.entries(ends)) {
      const options = [indentName, orderName, endName].filter((name) => name !== '').join(', ');
      ways[['JSON.stringify', options].filter((name) => name !== '').join(' with ')] = payloads.map(
        (text) => JSON.stringify(order(JSON.parse(text)), null, indent) + end,
      );
    }
  }
}
console.log(JSON.stringify({ version: process.versions.node, ways }));
