/**
 * How JSON libraries write a document that they have parsed. Each is described by its choices: numbers, escapes, the order of
 * fields, spaces, and what it does with empty objects. A test compares them with the real programs.
 */

/** The choices of a serializer. */
interface Choices {
  /** The text of a number, from its text in the document. */
  readonly numbers: (text: string) => string;
  /** The order of the names of an object. */
  readonly order: (names: readonly string[]) => readonly string[];
  /** Characters that are escaped although JSON does not require it, as in a class of a regular expression. */
  readonly escaped: string;
  readonly escapesSlash?: boolean;
  /** Whether escapes are in upper case, such as `\u00E9`. */
  readonly hasUpperCaseEscapes?: boolean;
  /** Whether strings keep the escapes of the document. */
  readonly keepsEscapes?: boolean;
  readonly comma: string;
  readonly colon: string;
  /** Null: on one line. */
  readonly indent: string | null;
  /** How empty objects and arrays are written; a tab stands for a line break and the indentation. */
  readonly empty: readonly [object: string, array: string];
  /** Whether an object without names, or with the names 0, 1, …, becomes an array. */
  readonly convertsLists?: boolean;
  readonly dropsNulls?: boolean;
  readonly end: string;
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
  readonly hasPoint?: boolean;
  /** Whether `.0` follows a single digit before an exponent. */
  readonly hasMantissaPoint?: boolean;
  /** The letter, the sign and the least digits of an exponent. */
  readonly exponent: readonly [letter: string, plus: string, digits: number];
}

const doubles = {
  Python: { fixed: [-4, 16], hasPoint: true, exponent: ['e', '+', 2] },
  Ruby: { fixed: [-4, 15], hasPoint: true, hasMantissaPoint: true, exponent: ['e', '+', 2] },
  PHP: { fixed: [-4, 17], hasMantissaPoint: true, exponent: ['e', '+', 1] },
  Java: { fixed: [-3, 7], hasPoint: true, hasMantissaPoint: true, exponent: ['E', '', 1] },
} satisfies Record<string, DoubleFormat>;

function formatDouble(text: string, { fixed, hasPoint, hasMantissaPoint, exponent }: DoubleFormat): string {
  const number = Number(text);
  const sign = text.startsWith('-') ? '-' : '';
  const [mantissa = '', power = '0'] = Math.abs(number).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const place = Number(power);
  const write = (whole: string, rest: string, isDecimal: boolean | undefined) => {
    const fraction = rest || (isDecimal ? '0' : '');
    return sign + whole + (fraction && `.${fraction}`);
  };
  if (number !== 0 && (place < fixed[0] || place >= fixed[1])) {
    const [letter, plus, minDigits] = exponent;
    const shown = letter + (place < 0 ? '-' : plus) + String(Math.abs(place)).padStart(minDigits, '0');
    return write(digits.charAt(0), digits.slice(1), hasMantissaPoint) + shown;
  }
  if (place < 0) return write('0', '0'.repeat(-place - 1) + digits, false);
  return write(digits.slice(0, place + 1).padEnd(place + 1, '0'), digits.slice(place + 1), hasPoint);
}

const INTEGER = /^-?\d+$/;
const toShortest = (text: string) => JSON.stringify(Number(text));
const keepNumber = (text: string) => text;
/** Keeps whole numbers, of any size or of 64 bits, and writes the others in double precision. */
const withIntegers = (format: DoubleFormat, bits?: number) => (text: string) =>
  INTEGER.test(text) && (bits === undefined || BigInt(text) === BigInt.asIntN(bits, BigInt(text)))
    ? text
    : formatDouble(text, format);

const keepOrder = (names: readonly string[]) => names;
const sort = (names: readonly string[]) => [...names].sort();
const isArrayIndex = (name: string) => /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32 - 1;
/** The order of the fields of an object in JavaScript. */
const putIndexesFirst = (names: readonly string[]) => {
  const indexes = names.filter(isArrayIndex).sort((first, second) => Number(first) - Number(second));
  return indexes.length === 0 ? names : [...indexes, ...names.filter((name) => !isArrayIndex(name))];
};

const NON_ASCII = '\\u0080-\\uffff';
const LINE_SEPARATORS = '\\u2028\\u2029';
const HTML = `<>&${LINE_SEPARATORS}`;

/** Keeps numbers and the order, and writes everything on one line. */
const plain: Choices = {
  numbers: keepNumber,
  order: keepOrder,
  escaped: '',
  comma: ',',
  colon: ':',
  indent: null,
  empty: ['{}', '[]'],
  end: '',
};
const indented = (indent: string): Partial<Choices> => ({ indent, comma: ',', colon: ': ' });
const keepsHtml = { escaped: LINE_SEPARATORS };
const RELAXED = '\\u007f-\\u00a0\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ud800-\\uf8ff\\ufeff';

type Options = Readonly<Record<string, Partial<Choices>>>;

/**
 * The serializers of a library.
 * @param choices those of the call without options that differ from `plain`
 * @param options that can be combined: of each object none or one
 */
function describeLibrary(library: string, choices: Partial<Choices>, ...options: Options[]): Serializer[] {
  return combineOptions(options).map((chosen) => ({
    name: [library, chosen.map(([label]) => label).join(', ')].filter(Boolean).join(' with '),
    choices: Object.assign({}, plain, choices, ...chosen.map(([, changes]) => changes)),
    optionCount: chosen.length,
  }));
}

function combineOptions([first, ...others]: readonly Options[]): [string, Partial<Choices>][][] {
  if (first === undefined) return [[]];
  const rest = combineOptions(others);
  return [rest, ...Object.entries(first).map((option) => rest.map((chosen) => [option, ...chosen]))].flat();
}

/** Those with the fewest options first, then the more common ones. Those of .NET are from its documentation, all others are compared with the program. */
export const serializers: readonly Serializer[] = [
  describeLibrary(
    'JSON.stringify',
    { numbers: toShortest, order: putIndexesFirst },
    { 'an indent of 2': indented('  '), 'an indent of 4': indented('    ') },
    { 'sorted fields': { order: (names) => putIndexesFirst(sort(names)) } },
    { 'a line feed at its end': { end: '\n' } },
  ),
  describeLibrary(
    'json.dumps of Python',
    { numbers: withIntegers(doubles.Python), escaped: '\\u007f-\\uffff', comma: ', ', colon: ': ' },
    {
      "separators=(',', ':')": { comma: ',', colon: ':' },
      'indent=2': indented('  '),
      'indent=4': indented('    '),
    },
    { 'ensure_ascii=False': { escaped: '' } },
    { 'sort_keys=True': { order: sort } },
  ),
  describeLibrary(
    'json_encode of PHP',
    {
      numbers: withIntegers(doubles.PHP, 64),
      escaped: NON_ASCII,
      escapesSlash: true,
      convertsLists: true,
    },
    { JSON_UNESCAPED_SLASHES: { escapesSlash: false } },
    { JSON_UNESCAPED_UNICODE: keepsHtml },
    { JSON_PRETTY_PRINT: indented('    ') },
    { objects: { convertsLists: false } },
  ),
  describeLibrary(
    'JSON.generate of Ruby',
    { numbers: withIntegers(doubles.Ruby) },
    {
      pretty_generate: indented('  '),
      'pretty_generate of Ruby 3.3 and earlier': { ...indented('  '), empty: ['{\t}', '[\n\t]'] },
      ActiveSupport: { escaped: HTML },
    },
  ),
  describeLibrary(
    'json.Marshal of Go',
    { numbers: toShortest, order: sort, escaped: HTML },
    { 'an indent of 2': indented('  ') },
    { 'a line feed at its end': { end: '\n' } },
    { 'SetEscapeHTML(false)': keepsHtml },
  ),
  describeLibrary(
    'Jackson of Java',
    { numbers: withIntegers(doubles.Java), hasUpperCaseEscapes: true },
    { ORDER_MAP_ENTRIES_BY_KEYS: { order: sort } },
  ),
  describeLibrary(
    'Gson of Java',
    { numbers: (text) => formatDouble(text, doubles.Java), dropsNulls: true, escaped: `${HTML}='` },
    { JsonElement: { numbers: keepNumber } },
    { serializeNulls: { dropsNulls: false } },
    { disableHtmlEscaping: keepsHtml },
  ),
  describeLibrary(
    'System.Text.Json of .NET',
    { hasUpperCaseEscapes: true, escaped: '"&\'+<>`\\u007f-\\uffff' },
    { WriteIndented: indented('  ') },
    { UnsafeRelaxedJsonEscaping: { escaped: RELAXED } },
  ),
  describeLibrary(
    'a library that keeps numbers and escapes',
    { keepsEscapes: true },
    { 'an indent of 2': indented('  '), 'sorted fields': { order: sort } },
  ),
]
  .flat()
  .sort((first, second) => first.optionCount - second.optionCount);

/** Those of a known library without options. */
export const commonSerializers = serializers.filter(
  ({ optionCount, choices }) => optionCount === 0 && !choices.keepsEscapes,
);

/** JSON with its scalars as they were written (`12.50`, `"a"`, `null`). Fields have the names that their texts mean. */
export type JsonTree = string | JsonTree[] | Map<string, JsonField>;

export interface JsonField {
  /** The name as it was written. */
  readonly name: string;
  readonly value: JsonTree;
}

/** Without commas and colons: in valid JSON, the order of the other tokens is enough. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]|[^\s{}[\],:"]+/g;

/** Parses JSON; null if it is not JSON or is nested too deeply. A repeated name keeps its first place and its last value. */
export function parseJson(text: string): JsonTree | null {
  try {
    JSON.parse(text);
    const tokens = (text.match(TOKEN) ?? []).values();
    const next = (): string => tokens.next().value ?? '';
    const parse = (token: string): JsonTree => {
      if (token === '[') {
        const values: JsonTree[] = [];
        for (let first = next(); first !== ']'; first = next()) values.push(parse(first));
        return values;
      }
      if (token !== '{') return token;
      const fields = new Map<string, JsonField>();
      for (let name = next(); name !== '}'; name = next())
        fields.set(JSON.parse(name), { name, value: parse(next()) });
      return fields;
    };
    return parse(next());
  } catch {
    return null;
  }
}

/** What a serializer with these choices writes. */
export function writeJson(tree: JsonTree, choices: Choices): string {
  const { order, comma, colon, indent, empty, convertsLists, dropsNulls, end } = choices;
  const writeScalar = createTokenWriter(choices);
  /** @param lineBreak with the indentation of the value */
  const write = (value: JsonTree, lineBreak: string): string => {
    if (typeof value === 'string') return writeScalar(value);
    const isObject = value instanceof Map;
    const names = isObject ? order([...value.keys()]) : [];
    const fields = isObject
      ? names.flatMap((name) => value.get(name) ?? []).filter((one) => !(dropsNulls && one.value === 'null'))
      : value.map((item) => ({ name: '', value: item }));
    const isArray = !isObject || (convertsLists && names.every((name, index) => name === String(index)));
    if (fields.length === 0) return empty[isArray ? 1 : 0].replace('\t', lineBreak);
    const inner = indent === null ? lineBreak : lineBreak + indent;
    const items = fields.map((field) => {
      const start = isArray ? '' : writeScalar(field.name) + colon;
      return start + write(field.value, inner);
    });
    const [before, after] = indent === null ? ['', ''] : [inner, lineBreak];
    const content = before + items.join(comma + before) + after;
    return isArray ? `[${content}]` : `{${content}}`;
  };
  return write(tree, '\n') + end;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\\': '\\\\',
  '"': '\\"',
};
/** Every library writes it in the same way. */
const PLAIN_STRING = /^"[\w .-]*"$/;

/** Writes a scalar. */
function createTokenWriter(choices: Choices): (token: string) => string {
  const { escaped, escapesSlash, hasUpperCaseEscapes, keepsEscapes } = choices;
  const toEscape = (char: string) => {
    const hex = char.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${hasUpperCaseEscapes ? hex.toUpperCase() : hex}`;
  };
  const special = new RegExp(`[\\u0000-\\u001f"\\\\${escaped}]`, 'g');
  const writeSpecial = (char: string) =>
    (char === '"' && escaped.includes(char) ? undefined : SHORT_ESCAPES[char]) ?? toEscape(char);
  return (token) => {
    if (/^[-\d]/.test(token)) return choices.numbers(token);
    if (!token.startsWith('"') || PLAIN_STRING.test(token) || keepsEscapes) return token;
    const content = JSON.parse(token).replace(special, writeSpecial);
    return `"${escapesSlash ? content.replaceAll('/', '\\/') : content}"`;
  };
}
