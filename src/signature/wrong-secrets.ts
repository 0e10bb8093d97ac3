/** The mistakes in copying a secret. */
import { createHash } from 'node:crypto';
import { maskSecret, SECRET_PREFIX } from '../domain/credentials.ts';

export type SecretMistake = readonly [
  /** Completes "the secret …". */
  description: string,
  apply: (secret: string) => string | readonly string[],
  /** What to do, if it is more than to use the secret unchanged. */
  remedy?: string,
];

const TRIM =
  'Trim the secret when your code reads it, and correct it where it is set: a .env file with quotes, a file that echo wrote, or a pasted value.';
const affix = (description: string, prefix: string, suffix = ''): SecretMistake => [
  description,
  (secret) => prefix + secret + suffix,
  TRIM,
];
const unset = (text: string, description = `the text "${text}"`): SecretMistake => [
  `was ${description}: an unset environment variable is the usual cause`,
  () => text,
  'Set the variable from which your code reads the secret, and restart the receiver.',
];
const VARIABLES = ['SVC_WEBHOOK_SECRET', 'WEBHOOK_SECRET'];
const PLACEHOLDERS = [
  ...['whsec_…', 'whsec_...', 'whsec_test', 'whsec_xxx', 'whsec_test_secret', 'secret', 'test'],
  ...['your_webhook_secret', 'changeme'],
];

/** The more common ones first. */
export const secretMistakes: readonly SecretMistake[] = [
  unset('undefined'),
  unset('', 'empty'),
  affix('was in double quotes', '"', '"'),
  affix('ended with a line break', '', '\n'),
  affix('was in single quotes', "'", "'"),
  affix('ended with a space', '', ' '),
  affix('ended with a carriage return', '', '\r'),
  affix('ended with a line break of Windows', '', '\r\n'),
  unset('None'),
  unset('null'),
  ...['', 'export '].flatMap((start) =>
    VARIABLES.map((name) => affix('had the name of its variable in front', `${start}${name}=`)),
  ),
  ...VARIABLES.map((name) => affix('had the name of its variable in front', `${name}="`, '"')),
  ['had the version of a signature in front', (secret) => [`v1,${secret}`, `v1=${secret}`]],
  affix('began with a space', ' '),
  affix('ended with a tab', '', '\t'),
  affix('began with a tab', '\t'),
  affix('was in backticks', '`', '`'),
  affix('began with a byte order mark', '\uFEFF'),
  affix('ended with a semicolon', '', ';'),
  affix('ended with a comma', '', ','),
  ['was masked, as svc shows it', maskSecret],
  ['was the name of its variable', () => VARIABLES.flatMap((name) => [name, `$${name}`, `\${${name}}`])],
  ['was a placeholder', () => PLACEHOLDERS],
  ['was encoded in base64', (secret) => Buffer.from(secret).toString('base64')],
  ['was replaced by its SHA-256 hash in hex', (secret) => createHash('sha256').update(secret).digest('hex')],
  ['was in lower case', (secret) => secret.toLowerCase()],
  ['was in upper case', (secret) => secret.toUpperCase()],
  ['was repeated', (secret) => secret + secret],
];

/** What is in front of a secret or behind it in a configuration. */
const AROUND = /^\uFEFF?(?:(?:export\s+)?[A-Za-z_]\w*\s*=\s*|v\d[,=])?(["'`]?)(.*)\1[;,]?$/s;
const unquote = (secret: string) => secret.trim().replace(/^(["'`])(.*)\1$/s, '$2');

/** What was probably meant by a given secret, the more common first. */
export const secretCorrections: readonly SecretMistake[] = [
  ['was the given one without the whitespace or quotes around it', unquote, TRIM],
  [`was the given one with the prefix ${SECRET_PREFIX}`, (secret) => SECRET_PREFIX + unquote(secret)],
  [
    `was the given one without the prefix ${SECRET_PREFIX}`,
    (secret) => unquote(secret).replace(SECRET_PREFIX, ''),
  ],
  ['was a part of the given one', (secret) => secret.trim().replace(AROUND, '$2'), TRIM],
];
