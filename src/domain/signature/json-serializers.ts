/**
 * How JSON libraries write a document that they have parsed. Each is described by its choices: numbers, escapes, the order of
 * fields, spaces, and what it does with empty objects. A test compares them with the real programs.
 */

/** The choices of a serializer. */
interface Choices {
  /** The text of a number, from its text in the document; null if the library fails. */
  readonly numbers: (text: string) => string | null;
  /** The order of the names of an object. */
  readonly order: (names: readonly string[]) => readonly string[];
  /** Characters that are escaped although JSON does not require it, as in a class of a regular expression. */
  readonly escaped: string;
  readonly escapesSlash: boolean;
  /** Whether escapes are in upper case, such as `\u00E9`. */
  readonly hasUpperCaseEscapes: boolean;
  /** What becomes of half of a pair of surrogates; null if the library fails. */
  readonly surrogate: 'escaped' | 'replaced' | null;
  /** Whether strings keep the escapes of the document. */
  readonly keepsEscapes?: boolean;
  readonly comma: string;
  readonly colon: string;
  /** Null: on one line. */
  readonly indent: string | null;
  readonly lineBreak: string;
  /** How empty objects and arrays are written if the others are indented; a tab stands for a line break and the indentation. */
  readonly empty: readonly [object: string, array: string];
  /** Whether arrays stay on one line if objects are indented. */
  readonly hasArraysOnOneLine?: boolean;
  /** Whether an object without names, or with the names 0, 1, …, becomes an array. */
  readonly convertsLists?: boolean;
  readonly dropsNulls?: boolean;
  readonly end: string;
}

interface SerializerFamily {
  readonly name: string;
  /** The choices of the call without options. */
  readonly choices: Choices;
  /** Options that can be combined: from each list none or one. */
  readonly options: readonly Readonly<Record<string, Partial<Choices>>>[];
}

export interface Serializer {
  /** Such as `json.dumps of Python with sort_keys=True`. */
  readonly name: string;
  readonly choices: Choices;
  /** Number of options that differ from the call without options. */
  readonly optionCount: number;
}

/** How a library writes a number of double precision. */
interface DoubleFormat {
  /** The powers of ten that are written without an exponent: from the first, below the second. */
  readonly fixed: readonly [from: number, below: number];
  /** Whether `.0` follows a whole number. */
  readonly hasPoint: boolean;
  /** Whether `.0` follows a single digit before an exponent. */
  readonly hasMantissaPoint: boolean;
  readonly exponent: 'e+7' | 'e+07' | 'E7' | 'E+07';
  /** How a number that is too large is written (default: the library fails). */
  readonly writeInfinity?: (sign: string) => string;
}

function formatDouble(text: string, format: DoubleFormat): string | null {
  const number = Number(text);
  const sign = text.startsWith('-') ? '-' : '';
  if (!Number.isFinite(number)) return format.writeInfinity?.(sign) ?? null;
  const [mantissa = '', power = ''] = Math.abs(number).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const exponent = Number(power);
  const [from, below] = format.fixed;
  if (number !== 0 && (exponent < from || exponent >= below)) {
    const fraction = digits.slice(1) || (format.hasMantissaPoint ? '0' : '');
    const point = fraction === '' ? '' : '.';
    return `${sign}${digits.charAt(0)}${point}${fraction}${formatExponent(exponent, format.exponent)}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1) || (format.hasPoint ? '0' : '');
  return `${sign}${whole}${fraction === '' ? '' : '.'}${fraction}`;
}

function formatExponent(exponent: number, form: DoubleFormat['exponent']): string {
  const letter = form.charAt(0);
  const plus = form.includes('+') ? '+' : '';
  const digits = String(Math.abs(exponent)).padStart(form.endsWith('07') ? 2 : 1, '0');
  return `${letter}${exponent < 0 ? '-' : plus}${digits}`;
}

const INTEGER = /^-?\d+$/;
const javascriptNumber = (text: string) => JSON.stringify(Number(text));
const goNumber = (text: string) =>
  Number.isFinite(Number(text)) ? (Object.is(Number(text), -0) ? '-0' : javascriptNumber(text)) : null;
const keepNumber = (text: string) => text;
/** Keeps whole numbers of any size, and writes the others in double precision. */
const withIntegers = (format: DoubleFormat) => (text: string) =>
  INTEGER.test(text) ? text.replace(/^-0$/, '0') : formatDouble(text, format);

const pythonDouble: DoubleFormat = {
  ...{
    fixed: [-4, 16],
    hasPoint: true,
    hasMantissaPoint: false,
    exponent: 'e+07',
    writeInfinity: (sign) => `${sign}Infinity`,
  },
};
const rubyDouble: DoubleFormat = {
  ...{ fixed: [-4, 15], hasPoint: true, hasMantissaPoint: true, exponent: 'e+07' },
};
const phpDouble: DoubleFormat = {
  ...{ fixed: [-4, 17], hasPoint: false, hasMantissaPoint: true, exponent: 'e+7' },
};
const javaDouble: DoubleFormat = {
  ...{ fixed: [-3, 7], hasPoint: true, hasMantissaPoint: true, exponent: 'E7' },
};
const dotnetDouble: DoubleFormat = {
  ...{ fixed: [-5, 15], hasPoint: true, hasMantissaPoint: false, exponent: 'E+07' },
};
/** PHP has integers of 64 bits. */
const phpNumber = (format: DoubleFormat) => (text: string) =>
  INTEGER.test(text) && BigInt(text) === BigInt.asIntN(64, BigInt(text))
    ? text.replace(/^-0$/, '0')
    : formatDouble(text, format);

const keepOrder = (names: readonly string[]) => names;
const sortByCodeUnits = (names: readonly string[]) => [...names].sort();
const sortByBytes = (names: readonly string[]) =>
  // Without surrogates, both orders are the same.
  /[\ud800-\udfff]/.test(names.join(''))
    ? [...names].sort((first, second) => Buffer.compare(Buffer.from(first), Buffer.from(second)))
    : sortByCodeUnits(names);
const isArrayIndex = (name: string) => /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32 - 1;
/** The order of the fields of an object in JavaScript. */
const putIndexesFirst = (names: readonly string[]) => {
  const indexes = names.filter(isArrayIndex).sort((first, second) => Number(first) - Number(second));
  return indexes.length === 0 ? names : [...indexes, ...names.filter((name) => !isArrayIndex(name))];
};

const NON_ASCII = '\\u0080-\\uffff';
const LINE_SEPARATORS = '\\u2028\\u2029';
const HTML = `<>&${LINE_SEPARATORS}`;

/** Keeps everything, and writes it on one line. */
const kept: Choices = {
  ...{ numbers: (text: string) => text, order: keepOrder, keepsEscapes: true, surrogate: 'escaped' },
  ...{ escaped: '', escapesSlash: false, hasUpperCaseEscapes: false },
  ...{ comma: ',', colon: ':', indent: null, lineBreak: '\n', empty: ['{}', '[]'], end: '' },
};
const plain: Choices = { ...kept, keepsEscapes: false, surrogate: null };
const indented = (indent: string): Partial<Choices> => ({ indent, comma: ',', colon: ': ' });
const withLineFeed = { 'a line feed at its end': { end: '\n' } };

/** The more common ones first. Those of .NET are from its documentation, all others are compared with the program. */
const families: readonly SerializerFamily[] = [
  {
    name: 'JSON.stringify',
    choices: { ...plain, numbers: javascriptNumber, order: putIndexesFirst, surrogate: 'escaped' },
    options: [
      { 'an indent of 2': indented('  '), 'an indent of 4': indented('    '), tabs: indented('\t') },
      { 'sorted fields': { order: (names) => putIndexesFirst(sortByCodeUnits(names)) } },
      withLineFeed,
    ],
  },
  {
    name: 'json.dumps of Python',
    choices: {
      ...plain,
      ...{ numbers: withIntegers(pythonDouble), escaped: '\\u007f-\\uffff', surrogate: 'escaped' },
      ...{ comma: ', ', colon: ': ' },
    },
    options: [
      {
        "separators=(',', ':')": { comma: ',', colon: ':' },
        'indent=2': indented('  '),
        'indent=4': indented('    '),
      },
      { 'ensure_ascii=False': { escaped: '', surrogate: null } },
      { 'sort_keys=True': { order: sortByBytes } },
    ],
  },
  {
    name: 'json_encode of PHP',
    choices: {
      ...plain,
      ...{ numbers: phpNumber(phpDouble), escaped: NON_ASCII, escapesSlash: true, convertsLists: true },
    },
    options: [
      { JSON_UNESCAPED_SLASHES: { escapesSlash: false } },
      { JSON_UNESCAPED_UNICODE: { escaped: LINE_SEPARATORS } },
      { JSON_PRETTY_PRINT: indented('    ') },
      { objects: { convertsLists: false } },
      { JSON_PRESERVE_ZERO_FRACTION: { numbers: phpNumber({ ...phpDouble, hasPoint: true }) } },
    ],
  },
  {
    name: 'JSON.generate of Ruby',
    choices: { ...plain, numbers: withIntegers(rubyDouble) },
    options: [
      {
        pretty_generate: indented('  '),
        'pretty_generate of Ruby 3.3 and earlier': { ...indented('  '), empty: ['{\t}', '[\n\t]'] },
        ascii_only: { escaped: NON_ASCII },
        ActiveSupport: {
          escaped: HTML,
          numbers: withIntegers({ ...rubyDouble, writeInfinity: () => 'null' }),
        },
      },
    ],
  },
  {
    name: 'json.Marshal of Go',
    choices: { ...plain, numbers: goNumber, order: sortByBytes, escaped: HTML, surrogate: 'replaced' },
    options: [
      { 'an indent of 2': indented('  '), 'an indent of 4': indented('    '), tabs: indented('\t') },
      withLineFeed,
      { 'SetEscapeHTML(false)': { escaped: LINE_SEPARATORS } },
      { UseNumber: { numbers: keepNumber } },
    ],
  },
  {
    name: 'json.Marshal of Go with json.RawMessage',
    choices: { ...kept, escaped: HTML },
    options: [],
  },
  {
    name: 'Jackson of Java',
    choices: {
      ...plain,
      numbers: withIntegers({ ...javaDouble, writeInfinity: (sign) => `"${sign}Infinity"` }),
      hasUpperCaseEscapes: true,
    },
    options: [
      {
        'a pretty printer': {
          ...{ indent: '  ', comma: ',', colon: ' : ', empty: ['{ }', '[ ]'], hasArraysOnOneLine: true },
        },
      },
      { ORDER_MAP_ENTRIES_BY_KEYS: { order: sortByCodeUnits } },
    ],
  },
  {
    name: 'Gson of Java',
    choices: {
      ...{ ...plain, numbers: (text: string) => formatDouble(text, javaDouble), dropsNulls: true },
      escaped: `${HTML}='`,
    },
    options: [
      { JsonElement: { numbers: keepNumber } },
      { serializeNulls: { dropsNulls: false } },
      { disableHtmlEscaping: { escaped: LINE_SEPARATORS } },
      { setPrettyPrinting: indented('  ') },
    ],
  },
  {
    name: 'System.Text.Json of .NET',
    choices: {
      ...{ ...plain, surrogate: 'replaced', hasUpperCaseEscapes: true },
      escaped: '"&\'+<>`\\u007f-\\uffff',
    },
    options: [
      { WriteIndented: indented('  '), 'WriteIndented on Windows': { ...indented('  '), lineBreak: '\r\n' } },
      {
        UnsafeRelaxedJsonEscaping: {
          escaped: '\\u007f-\\u00a0\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ud800-\\uf8ff\\ufeff',
        },
      },
    ],
  },
  {
    name: 'Newtonsoft.Json of .NET',
    choices: { ...plain, numbers: withIntegers(dotnetDouble), escaped: `\\u0085${LINE_SEPARATORS}` },
    options: [
      {
        'Formatting.Indented': indented('  '),
        'Formatting.Indented on Windows': { ...indented('  '), lineBreak: '\r\n' },
      },
    ],
  },
  {
    name: 'a library that keeps numbers and escapes',
    choices: kept,
    options: [
      {
        'an indent of 2': indented('  '),
        spaces: { comma: ', ', colon: ': ' },
        'sorted fields': { order: sortByCodeUnits },
      },
    ],
  },
];

/** All of them, those with the fewest options first. */
export const serializers: readonly Serializer[] = families
  .flatMap(({ name, choices, options }) =>
    combineOptions(options).map((chosen) => ({
      name: [name, chosen.map(([label]) => label).join(', ')].filter(Boolean).join(' with '),
      choices: Object.assign({}, choices, ...chosen.map(([, changes]) => changes)) as Choices,
      optionCount: chosen.length,
    })),
  )
  .sort((first, second) => first.optionCount - second.optionCount);

const numberStyles = [...new Set(serializers.map(({ choices }) => choices.numbers))];

type NamedOption = readonly [label: string, changes: Partial<Choices>];

function combineOptions([first, ...others]: SerializerFamily['options']): (readonly NamedOption[])[] {
  if (first === undefined) return [[]];
  const rest = combineOptions(others);
  return [rest, ...Object.entries(first).map((option) => rest.map((chosen) => [option, ...chosen]))].flat();
}

/** A JSON value. Its names, strings, numbers and words are indexes of {@link ParsedJson.tokens}. */
type JsonValue = number | readonly JsonValue[] | ReadonlyMap<string, JsonField>;

interface JsonField {
  readonly name: number;
  readonly value: JsonValue;
}

export interface ParsedJson {
  readonly root: JsonValue;
  /** The distinct texts of its scalars. */
  readonly tokens: readonly string[];
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Parses JSON; null if it is not JSON or is nested too deeply. A repeated name keeps its first place and its last value. */
export function parseJson(text: string): ParsedJson | null {
  const indexes = new Map<string, number>();
  const toIndex = (token: string) => {
    const index = indexes.get(token) ?? indexes.size;
    indexes.set(token, index);
    return index;
  };
  try {
    JSON.parse(text);
    const tokens = (text.match(TOKEN) ?? []).filter((token) => token !== ',' && token !== ':').values();
    const next = (): string => tokens.next().value ?? '';
    const parse = (token: string): JsonValue => {
      if (token === '[') {
        const values: JsonValue[] = [];
        for (let first = next(); first !== ']'; first = next()) values.push(parse(first));
        return values;
      }
      if (token !== '{') return toIndex(token);
      const fields = new Map<string, JsonField>();
      for (let name = next(); name !== '}'; name = next()) {
        fields.set(JSON.parse(name), { name: toIndex(name), value: parse(next()) });
      }
      return fields;
    };
    const root = parse(next());
    return { root, tokens: [...indexes.keys()] };
  } catch {
    return null;
  }
}

/** What the serializers with the same layout write: texts, and indexes of tokens between them. */
type Template = (string | number)[];

/** The texts of all tokens; null for those that the library fails to write. Equal texts have the same ID. */
interface TokenTexts {
  readonly id: number;
  readonly texts: readonly (string | null)[];
}

/** Writes one value as each serializer does. Most of them write the same, so everything is remembered. */
export class JsonWriter {
  readonly #json: ParsedJson;
  readonly #templates = new Map<string, Template>();
  readonly #texts = new Map<string, TokenTexts>();
  readonly #textIds = new Map<string, number>();
  readonly #written = new Map<string, string | null>();
  readonly #orders = new Map<Choices['order'], Choices['order']>();
  #hasLists: boolean | undefined;

  constructor(json: ParsedJson) {
    this.#json = json;
  }

  /** What the serializer writes; null if it fails. */
  write({ choices }: Pick<Serializer, 'choices'>): string | null {
    const { key, template } = this.#getTemplate(choices);
    const { id, texts } = this.#getTexts(choices);
    const fullKey = `${id} ${key}`;
    let written = this.#written.get(fullKey);
    if (written === undefined) {
      const parts = template.map((piece) => (typeof piece === 'string' ? piece : texts[piece]));
      written = parts.includes(null) ? null : parts.join('');
      this.#written.set(fullKey, written);
    }
    return written === null ? null : written + choices.end;
  }

  #getTexts(choices: Choices): TokenTexts {
    const { escaped, escapesSlash, hasUpperCaseEscapes, surrogate, keepsEscapes } = choices;
    const numberStyle = numberStyles.indexOf(choices.numbers);
    const key = [numberStyle, escaped, escapesSlash, hasUpperCaseEscapes, surrogate, keepsEscapes].join(' ');
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const texts = this.#json.tokens.map((token) => writeToken(token, choices));
    const joined = texts.join('\0');
    const id = this.#textIds.get(joined) ?? this.#textIds.size;
    this.#textIds.set(joined, id);
    this.#texts.set(key, { id, texts });
    return { id, texts };
  }

  #getTemplate(choices: Choices): { readonly key: string; readonly template: Template } {
    const { comma, colon, indent, lineBreak, empty, hasArraysOnOneLine, dropsNulls } = choices;
    const order = this.#getOrder(choices.order);
    const convertsLists = choices.convertsLists === true && this.#hasListsOfNames();
    const key = [
      comma,
      colon,
      indent,
      lineBreak,
      ...empty,
      hasArraysOnOneLine,
      dropsNulls,
      convertsLists,
      order,
    ].join('\0');
    let template = this.#templates.get(key);
    if (template === undefined) {
      template = [];
      const isNull = (value: JsonValue) => typeof value === 'number' && this.#json.tokens[value] === 'null';
      addValue(template, this.#json.root, { ...choices, order, convertsLists, isNull }, lineBreak);
      this.#templates.set(key, template);
    }
    return { key, template };
  }

  /** The same order for all orders that change nothing. */
  #getOrder(order: Choices['order']): Choices['order'] {
    const known = this.#orders.get(order);
    if (known !== undefined) return known;
    const isKept = this.#everyObject((names) => order(names).every((name, index) => name === names[index]));
    this.#orders.set(order, isKept ? keepOrder : order);
    return isKept ? keepOrder : order;
  }

  #hasListsOfNames(): boolean {
    this.#hasLists ??= !this.#everyObject((names) => !isListOfNames(names));
    return this.#hasLists;
  }

  #everyObject(check: (names: readonly string[]) => boolean, value: JsonValue = this.#json.root): boolean {
    if (typeof value === 'number') return true;
    if (isArray(value)) return value.every((item) => this.#everyObject(check, item));
    return (
      check([...value.keys()]) &&
      Array.from(value.values()).every((field) => this.#everyObject(check, field.value))
    );
  }
}

/** `Array.isArray` does not narrow a readonly array. */
function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isListOfNames(names: readonly string[]): boolean {
  return names.every((name, index) => name === String(index));
}

type Layout = Choices & { readonly isNull: (value: JsonValue) => boolean };

/** @param lineBreak with the indentation of the value */
function addValue(template: Template, value: JsonValue, layout: Layout, lineBreak: string): void {
  if (typeof value === 'number') template.push(value);
  else if (isArray(value)) addArray(template, value, layout, lineBreak);
  else addObject(template, value, layout, lineBreak);
}

function addObject(
  template: Template,
  fields: ReadonlyMap<string, JsonField>,
  layout: Layout,
  lineBreak: string,
) {
  const { order, convertsLists, dropsNulls, isNull, colon, indent, empty } = layout;
  const names = order([...fields.keys()]);
  if (convertsLists && isListOfNames(names)) {
    const values = Array.from(fields.values(), ({ value }) => value);
    addArray(template, values, layout, lineBreak);
    return;
  }
  const inner = indent === null ? '' : lineBreak + indent;
  let isEmpty = true;
  for (const name of names) {
    const field = fields.get(name);
    if (field === undefined || (dropsNulls && isNull(field.value))) continue;
    template.push((isEmpty ? '{' : layout.comma) + inner, field.name, colon);
    addValue(template, field.value, layout, inner);
    isEmpty = false;
  }
  if (!isEmpty) template.push(indent === null ? '}' : `${lineBreak}}`);
  else template.push(indent === null ? '{}' : empty[0].replace('\t', lineBreak));
}

function addArray(template: Template, values: readonly JsonValue[], layout: Layout, lineBreak: string) {
  const { indent, hasArraysOnOneLine = false, empty, comma } = layout;
  if (values.length === 0) {
    template.push(indent === null ? '[]' : empty[1].replace('\t', lineBreak));
    return;
  }
  const isIndented = indent !== null && !hasArraysOnOneLine;
  const inner = isIndented ? lineBreak + indent : '';
  values.forEach((value, index) => {
    const separator = index === 0 ? '[' : comma;
    template.push(hasArraysOnOneLine ? `${separator} ` : separator + inner);
    addValue(template, value, layout, isIndented ? inner : lineBreak);
  });
  if (hasArraysOnOneLine) template.push(' ]');
  else template.push(isIndented ? `${lineBreak}]` : ']');
}

/** Half of a pair of surrogates. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  ...{ '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\', '"': '\\"' },
};
/** Every library writes it in the same way. */
const PLAIN_STRING = /^"[\w .-]*"$/;

/** @returns null if the library fails */
function writeToken(token: string, choices: Choices): string | null {
  if (/^[-\d]/.test(token)) return choices.numbers(token);
  if (!token.startsWith('"') || PLAIN_STRING.test(token)) return token;
  const { escaped, escapesSlash, hasUpperCaseEscapes, surrogate } = choices;
  const toEscape = (char: string) => {
    const hex = char.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${hasUpperCaseEscapes ? hex.toUpperCase() : hex}`;
  };
  if (choices.keepsEscapes) {
    return escaped === '' ? token : token.replace(new RegExp(`[${escaped}]`, 'g'), toEscape);
  }
  let content: string = JSON.parse(token);
  if (surrogate !== 'escaped' && content.search(LONE_SURROGATE) !== -1) {
    if (surrogate === null) return null;
    content = content.replace(LONE_SURROGATE, '\ufffd');
  }
  content = content.replace(
    new RegExp(`[\\u0000-\\u001f"\\\\${escaped}]`, 'g'),
    (char) => (char === '"' && escaped.includes(char) ? undefined : SHORT_ESCAPES[char]) ?? toEscape(char),
  );
  if (surrogate === 'escaped') content = content.replace(LONE_SURROGATE, toEscape);
  return `"${escapesSlash ? content.replaceAll('/', '\\/') : content}"`;
}

/** The JSON of the field at a path; null if it does not exist. */
export function getJsonField({ root, tokens }: ParsedJson, path: readonly string[]): ParsedJson | null {
  let value: JsonValue | undefined = root;
  for (const name of path) {
    value = typeof value === 'object' && !isArray(value) ? value.get(name)?.value : undefined;
    if (value === undefined) return null;
  }
  return { root: value, tokens };
}

/** The JSON with the fields of the object at a path in another order: those that are named first, then the others. */
export function orderFields(json: ParsedJson, path: readonly string[], order: readonly string[]): ParsedJson {
  const arrange = (value: JsonValue, [name, ...rest]: readonly string[]): JsonValue => {
    if (typeof value === 'number' || isArray(value)) return value;
    if (name === undefined) {
      const known = order.flatMap((field) => {
        const found = value.get(field);
        return found === undefined ? [] : [[field, found] as const];
      });
      // A repeated name keeps its first place.
      return new Map([...known, ...value]);
    }
    return new Map(
      Array.from(value, ([key, field]) => [
        key,
        key === name ? { ...field, value: arrange(field.value, rest) } : field,
      ]),
    );
  };
  return { ...json, root: arrange(json.root, path) };
}
