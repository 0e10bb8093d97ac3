// npm run test:mcp: runs the conformance tests of the Model Context Protocol against /_svc/mcp of the built program.
// The stable version knows the protocol of 2025, the preview that of 2026. Both need Node.js 22 or later.
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { getNode, withNode } from './node-versions.mjs';

const runs = [
  { protocol: '2025-06-18', conformance: '0.1.16' },
  { protocol: '2025-11-25', conformance: '0.1.16' },
  { protocol: '2026-07-28', conformance: '0.2.0-alpha.12' },
];

/**
 * Scenarios that call a tool or a resource of the reference server, such as `test_simple_text`, or that test a capability
 * that svc does not announce: prompts, logging, completions, subscriptions, sampling and elicitation.
 */
const notApplicable =
  /^(?:tools-call-.*|resources-(?:read-.*|templates-read|subscribe|unsubscribe)|prompts-.*|completion-complete|logging-set-level|json-schema-2020-12|elicitation-.*|input-required-result-.*|http-custom-header-server-validation)$/;
/** Checks of an applicable scenario that need a tool of the reference server. */
const needTool = { 'server-stateless': 4 };

const program = join(import.meta.dirname, '../bin/svc.js');
const start = [program, 'emulator', 'start', '--port', '0', '--db', ':memory:', '--json'];
const emulator = execa(process.execPath, start, { reject: false, stderr: 'inherit' });
try {
  const [line] = await once(createInterface(emulator.stdout), 'line');
  const url = `${JSON.parse(line).control_url}/mcp`;
  const env = withNode(await getNode('24'));
  for (const run of runs) await test(url, run, env);
} finally {
  emulator.kill();
  await emulator;
}

async function test(url, { protocol, conformance }, env) {
  const command = ['-y', `@modelcontextprotocol/conformance@${conformance}`, 'server', '--url', url];
  const options = { env, reject: false, all: true };
  const { all } = await execa('npx', [...command, '--suite', 'all', '--spec-version', protocol], options);
  const results = Array.from(
    all.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm),
    ([, name, passed, failed]) => ({
      name,
      passed: Number(passed),
      failed: Number(failed) - (needTool[name] ?? 0),
    }),
  );
  const applicable = results.filter(({ name, failed }) => failed <= 0 || !notApplicable.test(name));
  const failures = applicable.filter(({ failed }) => failed > 0);
  const passed = applicable.reduce((sum, result) => sum + result.passed, 0);
  console.log(
    `${protocol}: ${applicable.length - failures.length} of ${applicable.length} scenarios passed with ${passed} checks, ${results.length - applicable.length} do not apply`,
  );
  for (const { name, failed } of failures) console.log(`  failed: ${name} (${failed})`);
  if (failures.length > 0 || applicable.length === 0) process.exitCode = 1;
}
