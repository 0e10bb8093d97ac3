/** The mistakes in copying a secret: what each makes of it, and how to undo it. */
import { createHash } from 'node:crypto';
import { maskSecret, SECRET_PREFIX } from '../credentials.ts';

interface SecretMistake {
  /** Completes "the secret …". */
  readonly description: string;
  readonly apply: (secret: string) => readonly string[];
  /** The secrets of which the mistake may have made this one. Missing if the secret is lost. */
  readonly undo?: (secret: string) => readonly string[];
}

const affix = (description: string, prefix: string, suffix = ''): SecretMistake => ({
  description,
  apply: (secret) => [prefix + secret + suffix],
  undo: (secret) =>
    secret.startsWith(prefix) && secret.endsWith(suffix) && secret.length > prefix.length + suffix.length
      ? [secret.slice(prefix.length, secret.length - suffix.length)]
      : [],
});

const UNSET = 'an unset environment variable is the usual cause';
const replace = (text: string, description: string): SecretMistake => ({ description, apply: () => [text] });
/** The name and the equals sign in a line of a .env file. */
const ASSIGNMENT = /^(?:export\s+)?[A-Za-z_]\w*\s*=\s*/;
const VARIABLES = ['SVC_WEBHOOK_SECRET', 'WEBHOOK_SECRET'];

/** The more common ones first. */
export const secretMistakes: readonly SecretMistake[] = [
  replace('undefined', `was the text "undefined": ${UNSET}`),
  replace('', `was empty: ${UNSET}`),
  affix('was in double quotes', '"', '"'),
  affix('ended with a line break', '', '\n'),
  affix('was in single quotes', "'", "'"),
  affix('ended with a space', '', ' '),
  affix('ended with a carriage return', '', '\r'),
  affix('ended with a line break of Windows', '', '\r\n'),
  replace('None', `was the text "None": ${UNSET}`),
  replace('null', `was the text "null": ${UNSET}`),
  {
    description: 'had the name of its variable in front',
    apply: (secret) =>
      VARIABLES.flatMap((name) => [`${name}=${secret}`, `${name}="${secret}"`, `export ${name}=${secret}`]),
    undo: (secret) =>
      ASSIGNMENT.test(secret) ? [secret.replace(ASSIGNMENT, '').replace(/^(["'])(.*)\1$/s, '$2')] : [],
  },
  {
    description: 'had the version of a signature in front',
    apply: (secret) => [`v1,${secret}`, `v1=${secret}`],
    undo: (secret) => (/^v\d[,=]/.test(secret) ? [secret.slice(3)] : []),
  },
  affix('began with a space', ' '),
  affix('ended with a tab', '', '\t'),
  affix('began with a tab', '\t'),
  affix('was in backticks', '`', '`'),
  affix('began with a byte order mark', '\uFEFF'),
  affix('ended with a semicolon', '', ';'),
  affix('ended with a comma', '', ','),
  { description: 'was masked, as svc shows it', apply: (secret) => [maskSecret(secret)] },
  {
    description: 'was the name of its variable',
    apply: () => VARIABLES.flatMap((name) => [name, `$${name}`, `\${${name}}`]),
  },
  {
    description: 'was a placeholder',
    apply: () => [
      'whsec_…',
      'whsec_...',
      'whsec_test',
      'whsec_xxx',
      'whsec_test_secret',
      'secret',
      'test',
      'your_webhook_secret',
      'changeme',
    ],
  },
  {
    description: 'was encoded in base64',
    apply: (secret) => [Buffer.from(secret).toString('base64')],
    undo: (secret) => {
      const decoded = Buffer.from(secret, 'base64').toString();
      return Buffer.from(decoded).toString('base64') === secret ? [decoded] : [];
    },
  },
  {
    description: 'was replaced by its SHA-256 hash in hex',
    apply: (secret) => [createHash('sha256').update(secret).digest('hex')],
  },
  { description: 'was in lower case', apply: (secret) => [secret.toLowerCase()] },
  { description: 'was in upper case', apply: (secret) => [secret.toUpperCase()] },
  { description: 'was repeated', apply: (secret) => [secret + secret] },
];

/** The secrets of which a mistake may have made this one, each with its name for messages. */
export function listCorrectedSecrets(secret: string): { readonly name: string; readonly secret: string }[] {
  const unquoted = secret.trim().replace(/^(["'`])(.*)\1$/s, '$2');
  const undone = secretMistakes.flatMap(({ description, undo }) =>
    (undo?.(secret.trim()) ?? []).concat(undo?.(secret) ?? []).map((corrected) => ({
      name: `the same secret: the given one ${description}`,
      secret: corrected,
    })),
  );
  return [
    { name: 'the same secret without the whitespace or quotes around it', secret: unquoted },
    { name: `the same secret with the prefix ${SECRET_PREFIX}`, secret: SECRET_PREFIX + unquoted },
    {
      name: `the same secret without the prefix ${SECRET_PREFIX}`,
      secret: unquoted.replace(SECRET_PREFIX, ''),
    },
    ...undone,
  ];
}
