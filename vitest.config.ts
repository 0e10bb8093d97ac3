import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        // Examples import the package by its name.
        resolve: {
          alias: [
            { find: /^svc-emulator$/, replacement: join(import.meta.dirname, 'src/index.ts') },
            { find: /^svc-emulator\/(\w+)$/, replacement: join(import.meta.dirname, 'src/$1.ts') },
          ],
        },
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/browser/**', 'test/torture/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
          testTimeout: 60_000,
          // As long as a locator waits.
          expect: { poll: { timeout: 15_000 } },
        },
      },
      {
        extends: true,
        test: {
          name: 'torture',
          include: ['test/torture/**/*.test.ts'],
          globalSetup: ['test/support/build-once.ts'],
          testTimeout: 60_000,
        },
      },
    ],
  },
});
