import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = import.meta.dirname;

// Examples import the package by its name.
const alias = [
  { find: /^svc-emulator$/, replacement: join(root, 'src/index.ts') },
  { find: /^svc-emulator\/(\w+)$/, replacement: join(root, 'src/$1.ts') },
];

const unitTests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts') && !/^test\/(?:e2e|browser|torture)\/|node_modules/.test(path));

/**
 * Unit tests share loaded modules. Those that replace whole modules or load them again cannot, and each of them gets its own process.
 * `replaceExports` in test/support replaces functions of shared modules.
 */
const isolatedTests = unitTests.filter((path) =>
  /\bvi\.(?:mock|resetModules)\(/.test(readFileSync(join(root, path), 'utf8')),
);

/** The files that take longest. If they started late, they would run while other workers have nothing to do. */
const LONGEST =
  /\/test\/(?:e2e\/documents|receivers\/(?:matrix|receiver-examples|test-examples)|torture\/kills)/;

/** Starts the longest files first. Vitest knows how long a file takes only after the first run. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// Node.js reads this file each time it starts, which takes longer than the rest of the start. Only npm needs it in tests.
process.env.TESTS_EXTRA_CA_CERTS ??= process.env.NODE_EXTRA_CA_CERTS ?? '';
delete process.env.NODE_EXTRA_CA_CERTS;

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // The defaults are too short for a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // More workers than cores, because many tests wait for a process, a timer or a connection.
    maxWorkers: availableParallelism() + 2,
    maxConcurrency: 10,
    restoreMocks: true,
    unstubEnvs: true,
    projects: [
      {
        extends: true,
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{e2e,browser,torture}/**', ...isolatedTests],
          isolate: false,
          globalSetup: ['test/support/build-if-missing.ts'],
        },
      },
      {
        extends: true,
        resolve: { alias },
        test: {
          name: 'unit-isolated',
          include: isolatedTests,
          globalSetup: ['test/support/build-if-missing.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'built',
          include: ['test/{e2e,browser,torture}/**/*.test.ts'],
          // The files of a worker share one browser and the modules of the emulator.
          isolate: false,
          globalSetup: ['test/support/build-once.ts'],
        },
      },
    ],
  },
});
