/** Writes the tags and the text of XML reports. */

export type XmlAttributes = Readonly<Record<string, string | number>>;

/** The start of a tag, without its end: `<testcase name="a &amp; b"`. */
export function startXmlTag(name: string, attributes: XmlAttributes): string {
  const words = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeAttribute(String(value))}"`,
  );
  return `<${name}${words.join('')}`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML cannot represent, such as control characters in the response of a receiver. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

export function escapeXml(text: string): string {
  return text.replace(NOT_IN_XML, '\ufffd').replace(/[&<>"]/g, (character) => entities[character] ?? '');
}

/** A parser replaces line breaks and tabs in an attribute with spaces unless they are escaped. */
function escapeAttribute(text: string): string {
  return escapeXml(text).replace(/[\n\t\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
