/** Runs the tests of `svc receiver example --tests`, each if its test framework is installed: one test that passes, one that fails. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTestExample, type TestFramework, testFrameworks } from '../../src/fixtures/receiver-examples.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

interface Runner {
  /** A shell command that succeeds if the tests can run. */
  readonly needs: string;
  /** A shell command that runs the tests in the folders `passing` and `failing`. */
  readonly run: string;
  /** Line of the output that says how many tests passed and failed. */
  readonly summary: RegExp;
  /** The test framework cannot run a file with these names twice, so the failing one has another name. */
  readonly rename?: readonly [RegExp, string];
}

/** The Debian package `junit5`. */
const JUNIT = '/usr/share/java';

const runners: Readonly<Record<TestFramework, Runner>> = {
  pytest: {
    needs: '/usr/bin/python3 -m pytest --version',
    run: '/usr/bin/python3 -m pytest --import-mode=importlib -p no:cacheprovider passing failing',
    summary: /1 failed, 1 passed/,
  },
  go: {
    needs: 'go version',
    run: 'go mod init webhooks && go test -vet=off ./...',
    summary:
      /ok\s+webhooks\/passing[\s\S]*FAIL\s+webhooks\/failing|FAIL\s+webhooks\/failing[\s\S]*ok\s+webhooks\/passing/,
  },
  rspec: {
    needs: 'rspec --version',
    run: 'rspec passing/webhooks_spec.rb; rspec failing/webhooks_spec.rb',
    summary: /1 example, 0 failures[\s\S]*1 example, 1 failure/,
  },
  phpunit: {
    needs: 'phpunit --version',
    run: 'phpunit passing/WebhooksTest.php; phpunit failing/WebhooksTest.php',
    summary: /OK \(1 test, 2 assertions\)[\s\S]*Tests: 1, Assertions: 1, Failures: 1/,
  },
  junit: {
    needs: `test -f ${JUNIT}/junit-platform-console-standalone.jar && javac -version`,
    run: `javac -cp '${JUNIT}/*' -d classes */*.java && java -cp '${JUNIT}/*:classes' org.junit.platform.console.ConsoleLauncher --scan-classpath=classes --details=tree --disable-banner`,
    summary: /1 tests successful[\s\S]*1 tests failed/,
    rename: [/WebhooksTest/g, 'FailingTest'],
  },
};

function canRun(framework: TestFramework): boolean {
  const { needs } = runners[framework];
  try {
    execFileSync('sh', ['-c', needs], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(`SKIPPED: the tests with ${framework}; \`${needs}\` fails.\n`);
    return false;
  }
}

describe.concurrent('svc receiver example --tests', () => {
  let emulator: TestEmulator;
  beforeAll(async () => {
    emulator = await startTestEmulator({ clock: { frozen: false } });
  });
  afterAll(() => emulator.close());

  it.for(testFrameworks.filter(canRun))(
    'the test with %s passes, and without the retry it fails with a list of the deliveries',
    { timeout: 70_000 },
    async (framework, context) => {
      const { run, summary, rename } = runners[framework];
      const folder = createTemporaryFolder(context);
      const [{ path, content }] = readTestExample(framework).files;
      // Without the move of the clock, the delivery keeps waiting for its retry.
      const failing = content.replace(/^.*\badvance\(['"]5m['"]\);?\n/m, '');
      expect(failing).not.toBe(content);
      const [from, to] = rename ?? [/$^/g, ''];
      for (const [file, text] of [
        [join('passing', path), content],
        [join('failing', path.replace(from, to)), failing.replaceAll(from, to)],
      ] as const) {
        mkdirSync(join(folder, dirname(file)));
        writeFileSync(join(folder, file), text);
      }
      const { control_url, base_url } = emulator.status();
      const { all } = await execa('sh', ['-c', run], {
        cwd: folder,
        env: {
          SVC_CONTROL_URL: control_url,
          SVC_BASE_URL: base_url,
          // Halves the time of short programs.
          JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1',
        },
        all: true,
        reject: false,
        timeout: 60_000,
      });
      expect(all).toMatch(summary);
      expect(all).toMatch(
        /1 delivery cannot settle within 5s: the next attempt is due in 5m, and the clock is frozen\./,
      );
      expect(all).toMatch(
        /All deliveries of the workspace:\s+(?:E\s+)?order\.shipped: pending, attempts: 1, .*503 Service Unavailable/,
      );
    },
  );
});
