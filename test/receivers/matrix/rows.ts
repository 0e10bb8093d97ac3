/**
 * Receivers with the mistakes that their frameworks invite: each row changes a correct program, and names what `svc explain --probe`
 * says about it. `programs/` has the correct ones, and `mistakes.yaml` the changes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface Row {
  readonly framework: FrameworkName;
  readonly mistake: string;
  /** Texts of the program, each with its replacement. */
  readonly patch: readonly Replacement[];
  /** The cause that svc names, as `nameCause` writes it; several if they mean the same. */
  readonly expected: readonly string[];
  /** The payload of the event. */
  readonly payload: string;
  /** Whether the row needs packages that only `npm run bench:receivers` installs. */
  readonly needsInstall: boolean;
}

type Replacement = readonly [text: string, replacement: string];

export type Language = 'node' | 'python' | 'ruby' | 'php' | 'go' | 'next';

export const frameworkLanguages = {
  'express 5': 'node',
  'express 4': 'node',
  fastify: 'node',
  hono: 'node',
  h3: 'node',
  koa: 'node',
  nest: 'node',
  next: 'next',
  flask: 'python',
  django: 'python',
  fastapi: 'python',
  sinatra: 'ruby',
  php: 'php',
  go: 'go',
} as const satisfies Record<string, Language>;

export type FrameworkName = keyof typeof frameworkLanguages;

/** Each serializer changes it: a number with a zero, characters that some escape, an empty object, and long digits. */
const PAYLOAD =
  '{"order_id":"ord_1","total":1.50,"note":"Zürich <b>&</b> \\u6771\\u4eac","url":"https://example.com/a","options":{},"big":12345678901234567890}';
/** Larger than the limit of 100 kB that Express and NestJS have. */
const LARGE_PAYLOAD = JSON.stringify({ note: 'x'.repeat(150_000) });

interface Mistake {
  readonly expected: string | readonly string[];
  readonly patch?: Readonly<Record<string, string>>;
  readonly payload?: 'large';
  readonly needs_install?: true;
}

type Mistakes = Readonly<Record<string, Mistake>>;

const {
  languages,
  frameworks,
}: Record<'languages' | 'frameworks', Readonly<Record<string, Mistakes>>> = parse(
  readFileSync(join(import.meta.dirname, 'mistakes.yaml'), 'utf8'),
);

function listMistakes(framework: FrameworkName): Mistakes {
  const language = frameworkLanguages[framework];
  return {
    correct: { expected: 'cause:delivered' },
    ...frameworks[framework === 'express 4' ? 'express 5' : framework],
    ...languages[language === 'next' ? 'node' : language],
  };
}

export const rows: readonly Row[] = (Object.keys(frameworkLanguages) as FrameworkName[]).flatMap(
  (framework) =>
    Object.entries(listMistakes(framework)).map(
      ([mistake, { expected, patch = {}, payload, needs_install }]) => ({
        framework,
        mistake,
        expected: [expected].flat(),
        patch: [
          ...(framework === 'express 4' ? [["'express'", "'express-4'"] as const] : []),
          ...Object.entries(patch),
        ],
        payload: payload === 'large' ? LARGE_PAYLOAD : PAYLOAD,
        needsInstall: needs_install === true,
      }),
    ),
);
