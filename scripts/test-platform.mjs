// npm run test:platform: tests what only the build, the packed package and the single executable show.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { getNode, withNode } from './node-versions.mjs';
import * as bundles from './platform/bundles.mjs';
import * as driver from './platform/driver.mjs';
import * as examples from './platform/examples.mjs';
import * as executable from './platform/executable.mjs';
import * as modules from './platform/modules.mjs';
import * as packed from './platform/package.mjs';
import { removeFolders } from './platform/projects.mjs';
import * as runners from './platform/runners.mjs';

// The longest first, so that the others run at the same time.
const groups = { runners, package: packed, examples, driver, modules, bundles, executable };

const HELP = `Test what only the build, the packed package and the single executable show

Usage: npm run test:platform -- [groups...] [options]

Arguments:
  groups            Rows to test (choices: ${Object.keys(groups).join(', ')}; default: all but executable)

Options:
  --node VERSION    Node.js version such as 24 (default: the installed one). It is downloaded from npm once
  --report FILE     Write the counts to FILE, for scripts/test-summary.mjs
  --help            Show this text

Two groups run at the same time, and the rows of a group run in order. The exit code is 1 if a row failed. The group executable tests
build/svc, which npm run build:binary writes.

Examples:
  # Test everything that npm installs
  npm run test:platform

  # Test the packed package with another Node.js version
  npm run test:platform -- package driver --node 24
`;

const root = join(import.meta.dirname, '..');
const GROUPS_AT_ONCE = 2;

try {
  const options = {
    node: { type: 'string' },
    report: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = positionals.find((name) => !(name in groups));
  if (unknown !== undefined)
    throw new Error(`${JSON.stringify(unknown)} is not one of ${Object.keys(groups).join(', ')}.`);
  if (values.help) process.stdout.write(HELP);
  else if (values.node !== undefined) await runWithNode(values.node, positionals, values.report);
  else await main(positionals, values.report);
} catch (error) {
  console.error(`${error.message}\nSee: npm run test:platform -- --help`);
  process.exitCode = 2;
}

/** Runs this script again with another version of Node.js. */
async function runWithNode(version, names, report) {
  const node = await getNode(version);
  const args = [process.argv[1], ...names, ...(report === undefined ? [] : ['--report', report])];
  const { exitCode } = await execa(node.program, args, {
    env: withNode(node),
    stdio: 'inherit',
    reject: false,
  });
  process.exitCode = exitCode ?? 1;
}

async function main(names, report) {
  execFileSync(process.execPath, [join(root, 'scripts/build-if-needed.mjs')], {
    cwd: root,
    stdio: 'inherit',
  });
  const waiting = names.length > 0 ? [...names] : Object.keys(groups).filter((name) => name !== 'executable');
  const counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, success: true };
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await runGroup(name, counts);
  };
  try {
    await Promise.all(Array.from({ length: GROUPS_AT_ONCE }, work));
  } finally {
    removeFolders();
  }
  counts.success = counts.numFailedTests === 0;
  if (report !== undefined) writeFileSync(report, JSON.stringify(counts));
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = counts;
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = counts.success && passed > 0 ? 0 : 1;
}

/**
 * Runs the rows of a group. Each has a title and `run`, which throws if something is wrong. A row whose `skip` returns a reason does not run.
 * A group whose `setUp` throws counts as one failure.
 */
async function runGroup(name, counts) {
  const { setUp = () => {}, rows } = groups[name];
  const startedAt = performance.now();
  const print = (symbol, title) => console.log(`${symbol} ${name}: ${title}`);
  const fail = (title, error) => {
    counts.numFailedTests++;
    print('✗', `${title}\n${error.all ?? ''}\n${error.stack}`);
  };
  try {
    const context = await setUp();
    for (const { title, skip = () => null, run } of rows) {
      try {
        const reason = await skip(context);
        if (reason === null) {
          await run(context);
          counts.numPassedTests++;
          print('✓', title);
        } else {
          counts.numPendingTests++;
          print('-', `${title} (skipped: ${reason})`);
        }
      } catch (error) {
        fail(title, error);
      }
    }
  } catch (error) {
    fail('the preparation', error);
  }
  console.log(`  ${name} took ${Math.round((performance.now() - startedAt) / 1000)} s`);
}
