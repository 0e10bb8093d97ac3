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
  readonly escapesSlash?: boolean;
  /** Whether escapes are in upper case, such as `\u00E9`. */
  readonly hasUpperCaseEscapes?: boolean;
  /** What becomes of half of a pair of surrogates; null if the library fails. */
  readonly surrogate: 'escaped' | 'replaced' | null;
  /** Whether strings keep the escapes of the document. */
  readonly keepsEscapes?: boolean;
  readonly comma: string;
  readonly colon: string;
  /** Null: on one line. */
  readonly indent: string | null;
  readonly lineBreak: string;
  /** How empty objects and arrays are written; a tab stands for a line break and the indentation. */
  readonly empty: readonly [object: string, array: string];
  /** Whether arrays stay on one line if objects are indented. */
  readonly hasArraysOnOneLine?: boolean;
  /** Whether an object without names, or with the names 0, 1, …, becomes an array. */
  readonly convertsLists?: boolean;
  readonly dropsNulls?: boolean;
  readonly end: string;
}

export type Language = 'JavaScript' | 'Python' | 'PHP' | 'Ruby' | 'Go' | 'Java' | '.NET';

export interface Serializer {
  /** Such as `json.dumps of Python with sort_keys=True`. */
  readonly name: string;
  /** Undefined if several languages have such a library. */
  readonly language: Language | undefined;
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
  /** How a number that is too large is written, with its sign in place of `±` (default: the library fails). */
  readonly infinity?: string;
}

const doubles = {
  Python: { fixed: [-4, 16], hasPoint: true, exponent: ['e', '+', 2], infinity: '±Infinity' },
  Ruby: { fixed: [-4, 15], hasPoint: true, hasMantissaPoint: true, exponent: ['e', '+', 2] },
  PHP: { fixed: [-4, 17], hasMantissaPoint: true, exponent: ['e', '+', 1] },
  Java: { fixed: [-3, 7], hasPoint: true, hasMantissaPoint: true, exponent: ['E', '', 1] },
  '.NET': { fixed: [-5, 15], hasPoint: true, exponent: ['E', '+', 2] },
} satisfies Record<string, DoubleFormat>;

function formatDouble(text: string, format: DoubleFormat): string | null {
  const { fixed, hasPoint, hasMantissaPoint, infinity } = format;
  const number = Number(text);
  const sign = text.startsWith('-') ? '-' : '';
  if (!Number.isFinite(number)) return infinity?.replace('±', sign) ?? null;
  const [mantissa = '', power = ''] = Math.abs(number).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const exponent = Number(power);
  const write = (whole: string, rest: string, isDecimal: boolean | undefined) => {
    const fraction = rest || (isDecimal ? '0' : '');
    return sign + whole + (fraction && `.${fraction}`);
  };
  if (number !== 0 && (exponent < fixed[0] || exponent >= fixed[1])) {
    const [letter, plus, minDigits] = format.exponent;
    const shown = letter + (exponent < 0 ? '-' : plus) + String(Math.abs(exponent)).padStart(minDigits, '0');
    return write(digits.charAt(0), digits.slice(1), hasMantissaPoint) + shown;
  }
  if (exponent < 0) return write('0', '0'.repeat(-exponent - 1) + digits, false);
  return write(digits.slice(0, exponent + 1).padEnd(exponent + 1, '0'), digits.slice(exponent + 1), hasPoint);
}

const INTEGER = /^-?\d+$/;
const javascriptNumber = (text: string) => JSON.stringify(Number(text));
const goNumber = (text: string) =>
  Number.isFinite(Number(text)) ? (Object.is(Number(text), -0) ? '-0' : javascriptNumber(text)) : null;
const keepNumber = (text: string) => text;
/** Keeps whole numbers, of any size or of 64 bits, and writes the others in double precision. */
const withIntegers = (format: DoubleFormat, bits?: number) => (text: string) =>
  INTEGER.test(text) && (bits === undefined || BigInt(text) === BigInt.asIntN(bits, BigInt(text)))
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
  ...{ numbers: keepNumber, order: keepOrder, keepsEscapes: true, surrogate: 'escaped', escaped: '' },
  ...{ comma: ',', colon: ':', indent: null, lineBreak: '\n', empty: ['{}', '[]'], end: '' },
};
const plain: Choices = { ...kept, keepsEscapes: false, surrogate: null };
const indented = (indent: string): Partial<Choices> => ({ indent, comma: ',', colon: ': ' });
const indents = {
  'an indent of 2': indented('  '),
  'an indent of 4': indented('    '),
  tabs: indented('\t'),
};
/** .NET writes the line breaks of the system. */
const indentedByDotnet = (option: string) => ({
  [option]: indented('  '),
  [`${option} on Windows`]: { ...indented('  '), lineBreak: '\r\n' },
});
const withLineFeed = { 'a line feed at its end': { end: '\n' } };
const keepsHtml = { escaped: LINE_SEPARATORS };
const RELAXED = '\\u007f-\\u00a0\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ud800-\\uf8ff\\ufeff';
const jacksonNumber = withIntegers({ ...doubles.Java, infinity: '"±Infinity"' });
const gsonNumber = (text: string) => formatDouble(text, doubles.Java);
const choicesOfPython: Partial<Choices> = {
  ...{ numbers: withIntegers(doubles.Python), escaped: '\\u007f-\\uffff', surrogate: 'escaped' },
  ...{ comma: ', ', colon: ': ' },
};
const choicesOfPhp = {
  ...{ numbers: withIntegers(doubles.PHP, 64), escaped: NON_ASCII, escapesSlash: true, convertsLists: true },
};
const choicesOfNewtonsoft = { numbers: withIntegers(doubles['.NET']), escaped: `\\u0085${LINE_SEPARATORS}` };

type Options = Readonly<Record<string, Partial<Choices>>>;

/**
 * The serializers of a library.
 * @param choices those of the call without options that differ from `plain`
 * @param options that can be combined: of each object none or one
 */
function describeLibrary(
  library: string,
  language: Language | undefined,
  choices: Partial<Choices>,
  options: readonly Options[],
): Serializer[] {
  return combineOptions(options).map((chosen) => ({
    ...{ language, optionCount: chosen.length },
    name: [library, chosen.map(([label]) => label).join(', ')].filter(Boolean).join(' with '),
    choices: Object.assign({}, plain, choices, ...chosen.map(([, changes]) => changes)) as Choices,
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
    'JavaScript',
    { numbers: javascriptNumber, order: putIndexesFirst, surrogate: 'escaped' },
    [
      indents,
      { 'sorted fields': { order: (names) => putIndexesFirst(sortByCodeUnits(names)) } },
      withLineFeed,
    ],
  ),
  describeLibrary('json.dumps of Python', 'Python', choicesOfPython, [
    {
      "separators=(',', ':')": { comma: ',', colon: ':' },
      'indent=2': indented('  '),
      'indent=4': indented('    '),
    },
    { 'ensure_ascii=False': { escaped: '', surrogate: null } },
    { 'sort_keys=True': { order: sortByBytes } },
  ]),
  describeLibrary('json_encode of PHP', 'PHP', choicesOfPhp, [
    { JSON_UNESCAPED_SLASHES: { escapesSlash: false } },
    { JSON_UNESCAPED_UNICODE: keepsHtml },
    { JSON_PRETTY_PRINT: indented('    ') },
    { objects: { convertsLists: false } },
    { JSON_PRESERVE_ZERO_FRACTION: { numbers: withIntegers({ ...doubles.PHP, hasPoint: true }, 64) } },
  ]),
  describeLibrary('JSON.generate of Ruby', 'Ruby', { numbers: withIntegers(doubles.Ruby) }, [
    {
      pretty_generate: indented('  '),
      'pretty_generate of Ruby 3.3 and earlier': { ...indented('  '), empty: ['{\t}', '[\n\t]'] },
      ascii_only: { escaped: NON_ASCII },
      ActiveSupport: { escaped: HTML, numbers: withIntegers({ ...doubles.Ruby, infinity: 'null' }) },
    },
  ]),
  describeLibrary(
    'json.Marshal of Go',
    'Go',
    { numbers: goNumber, order: sortByBytes, escaped: HTML, surrogate: 'replaced' },
    [indents, withLineFeed, { 'SetEscapeHTML(false)': keepsHtml }, { UseNumber: { numbers: keepNumber } }],
  ),
  describeLibrary('json.Marshal of Go with json.RawMessage', 'Go', { ...kept, escaped: HTML }, []),
  describeLibrary('Jackson of Java', 'Java', { numbers: jacksonNumber, hasUpperCaseEscapes: true }, [
    {
      'a pretty printer': {
        ...{ indent: '  ', comma: ',', colon: ' : ', empty: ['{ }', '[ ]'], hasArraysOnOneLine: true },
      },
    },
    { ORDER_MAP_ENTRIES_BY_KEYS: { order: sortByCodeUnits } },
  ]),
  describeLibrary('Gson of Java', 'Java', { numbers: gsonNumber, dropsNulls: true, escaped: `${HTML}='` }, [
    { JsonElement: { numbers: keepNumber } },
    { serializeNulls: { dropsNulls: false } },
    { disableHtmlEscaping: keepsHtml },
    { setPrettyPrinting: indented('  ') },
  ]),
  describeLibrary(
    'System.Text.Json of .NET',
    '.NET',
    { surrogate: 'replaced', hasUpperCaseEscapes: true, escaped: '"&\'+<>`\\u007f-\\uffff' },
    [indentedByDotnet('WriteIndented'), { UnsafeRelaxedJsonEscaping: { escaped: RELAXED } }],
  ),
  describeLibrary('Newtonsoft.Json of .NET', '.NET', choicesOfNewtonsoft, [
    indentedByDotnet('Formatting.Indented'),
  ]),
  describeLibrary('a library that keeps numbers and escapes', undefined, kept, [
    {
      'an indent of 2': indented('  '),
      spaces: { comma: ', ', colon: ': ' },
      'sorted fields': { order: sortByCodeUnits },
    },
  ]),
]
  .flat()
  .sort((first, second) => first.optionCount - second.optionCount);

const commonNames = [
  ...['JSON.stringify', 'json.dumps of Python', 'json_encode of PHP', 'JSON.generate of Ruby'],
  ...['json.Marshal of Go', "json.dumps of Python with separators=(',', ':')"],
  ...['json_encode of PHP with JSON_UNESCAPED_SLASHES', 'json.dumps of Python with ensure_ascii=False'],
  ...['json_encode of PHP with JSON_UNESCAPED_UNICODE'],
  ...['json_encode of PHP with JSON_UNESCAPED_SLASHES, JSON_UNESCAPED_UNICODE'],
];
/** The more common ones first. */
export const commonSerializers = commonNames.flatMap((name) =>
  serializers.filter((one) => one.name === name),
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

/** What a serializer with these choices writes; null if it fails. */
export function writeJson(tree: JsonTree, choices: Choices): string | null {
  const { order, comma, colon, indent, empty, convertsLists, dropsNulls, hasArraysOnOneLine } = choices;
  const writeToken = createTokenWriter(choices);
  let fails = false;
  const writeScalar = (token: string) => {
    const written = writeToken(token);
    fails ||= written === null;
    return written ?? '';
  };
  /** @param lineBreak with the indentation of the value */
  const write = (value: JsonTree, lineBreak: string): string => {
    if (typeof value === 'string') return writeScalar(value);
    const isObject = value instanceof Map;
    const names = isObject ? order([...value.keys()]) : [];
    const fields = isObject
      ? names.flatMap((name) => value.get(name) ?? []).filter((one) => !(dropsNulls && one.value === 'null'))
      : value.map((item) => ({ name: '', value: item }));
    const isArray = !isObject || (convertsLists && names.every((name, index) => name === String(index)));
    const [brackets, whenEmpty] = isArray ? (['[]', empty[1]] as const) : (['{}', empty[0]] as const);
    if (fields.length === 0) return whenEmpty.replace('\t', lineBreak);
    const isOnOneLine = indent === null || (isArray && hasArraysOnOneLine);
    const inner = isOnOneLine ? lineBreak : lineBreak + indent;
    const [before, after] = isOnOneLine ? (indent === null ? ['', ''] : [' ', ' ']) : [inner, lineBreak];
    const items = fields.map((field) => {
      const start = isArray ? '' : writeScalar(field.name) + colon;
      return start + write(field.value, inner);
    });
    return brackets.charAt(0) + before + items.join(comma + before) + after + brackets.charAt(1);
  };
  const text = write(tree, choices.lineBreak) + choices.end;
  return fails ? null : text;
}

/** Half of a pair of surrogates. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  ...{ '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\', '"': '\\"' },
};
/** Every library writes it in the same way. */
const PLAIN_STRING = /^"[\w .-]*"$/;

/** Writes a scalar; null if the library fails. */
function createTokenWriter(choices: Choices): (token: string) => string | null {
  const { escaped, escapesSlash, hasUpperCaseEscapes, surrogate, keepsEscapes } = choices;
  const toEscape = (char: string) => {
    const hex = char.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${hasUpperCaseEscapes ? hex.toUpperCase() : hex}`;
  };
  const required = keepsEscapes ? '' : '\\u0000-\\u001f"\\\\';
  const special = new RegExp(`[${required}${escaped}]`, 'g');
  const writeSpecial = (char: string) =>
    (char === '"' && escaped.includes(char) ? undefined : SHORT_ESCAPES[char]) ?? toEscape(char);
  return (token) => {
    if (/^[-\d]/.test(token)) return choices.numbers(token);
    if (!token.startsWith('"') || PLAIN_STRING.test(token)) return token;
    if (keepsEscapes) return token.replace(special, toEscape);
    let content: string = JSON.parse(token);
    if (surrogate !== 'escaped' && content.search(LONE_SURROGATE) !== -1) {
      if (surrogate === null) return null;
      content = content.replace(LONE_SURROGATE, '\ufffd');
    }
    content = content.replace(special, writeSpecial);
    if (surrogate === 'escaped') content = content.replace(LONE_SURROGATE, toEscape);
    return `"${escapesSlash ? content.replaceAll('/', '\\/') : content}"`;
  };
}

/** The JSON of the field at a path; null if it does not exist. */
export function getJsonField(tree: JsonTree, [name, ...path]: readonly string[]): JsonTree | null {
  if (name === undefined) return tree;
  const field = tree instanceof Map ? tree.get(name) : undefined;
  return field === undefined ? null : getJsonField(field.value, path);
}
