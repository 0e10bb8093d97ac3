import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listFrameworks } from '../../src/fixtures/receiver-examples.ts';
import { correctReceivers } from '../../test/receivers/correct-receivers.ts';
import { defects } from '../../test/receivers/defects.ts';
import { isPresent } from '../../test/receivers/receiver-process.ts';
import { measureMatrix } from './matrix.ts';
import { fuzzCorrect, fuzzExample, measureDefect, type Row } from './measurements.ts';

const HELP = `npm run bench:receivers -- [--part NAME]... [--runs N] [--random-seed N] [--only TEXT] [--jobs N]

  --part NAME   one of matrix, defects, correct, examples; may be repeated (default: all)
  --runs N      sequences for each receiver without a defect (default: 1000 for correct receivers, 500 for examples)
  --random-seed N  seed of the sequences (default: 1)
  --packages FOLDER  a folder whose node_modules has the frameworks of the matrix (default: they are installed)
  --only TEXT   only receivers whose name contains this text
  --jobs N      receivers to measure at the same time (default: 1). Most of the time is spent waiting, but more than one makes the
                seconds in the tables longer
`;

/** Programs in other languages that are fuzzed as correct receivers, without restarts. */
const correctPrograms = ['python', 'go', 'ruby', 'php'] as const;
/** The part whose receivers are explained, and not fuzzed. */
const MATRIX = 'matrix';
const results = join(import.meta.dirname, '../results');

interface Receiver {
  readonly name: string;
  readonly measure: () => Promise<Row>;
}

type Part = (options: {
  readonly runs: number | undefined;
  readonly randomSeed: number;
}) => readonly Receiver[];

const parts: Readonly<Record<string, Part>> = {
  defects: ({ randomSeed }) =>
    defects.map((defect) => ({ name: defect.name, measure: () => measureDefect(defect, randomSeed) })),
  correct: ({ runs = 1_000, randomSeed }) => [
    ...Object.entries(correctReceivers).map(([name, create]) => ({
      name,
      measure: () => fuzzCorrect(create(), runs, randomSeed),
    })),
    ...correctPrograms.filter(isPresent).map((framework) => ({
      name: `is the ${framework} example`,
      measure: () => fuzzExample(framework, { runs, randomSeed, restarts: false }),
    })),
  ],
  examples: ({ runs = 500, randomSeed }) =>
    listFrameworks()
      .filter(isPresent)
      .map((framework) => ({
        name: framework,
        measure: () => fuzzExample(framework, { runs, randomSeed, restarts: true }),
      })),
};

/** Measures receivers, prints a table for each part, and writes each row to a file in bench/results. */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      part: { type: 'string', multiple: true, default: [MATRIX, ...Object.keys(parts)] },
      runs: { type: 'string' },
      'random-seed': { type: 'string', default: '1' },
      only: { type: 'string', default: '' },
      jobs: { type: 'string', default: '1' },
      packages: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const options = {
    runs: values.runs === undefined ? undefined : Number(values.runs),
    randomSeed: Number(values['random-seed']),
  };
  mkdirSync(results, { recursive: true });
  const file = join(results, `receivers-${new Date().toISOString().replaceAll(':', '-')}.json`);
  const tables: Record<string, object[]> = {};
  const save = () => writeFileSync(file, `${JSON.stringify({ ...options, ...tables }, null, 2)}\n`);
  for (const name of values.part) {
    const rows: object[] = [];
    tables[name] = rows;
    if (name === MATRIX) {
      await measureMatrix(values.only, values.packages ?? null, (row) => {
        rows.push(row);
        save();
      });
      continue;
    }
    const part = parts[name];
    if (part === undefined) throw new Error(`The part ${name} does not exist.\n${HELP}`);
    const waiting = part(options).filter(({ name }) => name.includes(values.only));
    const measureNext = async () => {
      for (let receiver = waiting.shift(); receiver !== undefined; receiver = waiting.shift()) {
        const { cells, failure } = await receiver.measure();
        if (rows.length === 0) printHeader(['receiver', ...Object.keys(cells)]);
        printRow([receiver.name, ...Object.values(cells)]);
        rows.push({ receiver: receiver.name, ...cells, failure });
        save();
      }
    };
    await Promise.all(Array.from({ length: Number(values.jobs) }, measureNext));
  }
  console.log(`\nWritten to ${file}`);
}

function printHeader(titles: readonly string[]): void {
  console.log('');
  printRow(titles);
  printRow(titles.map(() => '---'));
}

function printRow(cells: readonly (string | number)[]): void {
  console.log(`| ${cells.join(' | ')} |`);
}
