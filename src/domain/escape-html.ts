const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for HTML or XML, in an element or an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const CHARACTERS = new Map([
  ...Object.entries(ENTITIES).map(([character, entity]) => [entity, character] as const),
  ['&nbsp;', ' '],
]);

/** Text of HTML: the entities that {@link escapeHtml} writes, spaces, and characters by number. */
export function decodeHtml(html: string): string {
  return html.replace(/&(?:\w+|#(\d{1,6})|#x([\da-f]{1,5}));/gi, (entity, decimal?: string, hex?: string) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return Number.isNaN(code)
      ? (CHARACTERS.get(entity) ?? entity)
      : String.fromCodePoint(Math.min(code, 0x10ffff));
  });
}
