/** `npm run test:node`, only the parts that download no Node.js version. */
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';

const script = join(import.meta.dirname, '../../scripts/test-node.mjs');

function testNode(...args: string[]) {
  return execa(process.execPath, [script, ...args], { reject: false });
}

it('test-node.mjs --help shows every option and examples', async () => {
  const { exitCode, stdout } = await testNode('24', '--help');
  expect(exitCode).toBe(0);
  for (const option of ['--project', '--runs', '--report', 'Examples:']) expect(stdout).toContain(option);
});

it.each([
  [['--runs', '0'], '--runs takes a whole number from 1, not "0".'],
  [['24', '--runs=many'], '--runs takes a whole number from 1, not "many".'],
  [['24', '--report'], '--report needs a value.'],
])('test-node.mjs %j exits with 2 and says what is wrong', async (args, message) => {
  const { exitCode, stderr } = await testNode(...args);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: `${message}\nSee: npm run test:node -- --help`,
  });
});
