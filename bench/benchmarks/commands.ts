/** How long a command takes that does next to nothing. */
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { programs } from '../contestant.ts';
import { alternate, median } from '../statistics.ts';
import type { Benchmark } from '../workbench.ts';

const SECRET = 'whsec_bench';

export const commands: Benchmark = async ({ quick, rounds }) => {
  const run =
    (...args: string[]) =>
    async () => {
      const startedAt = performance.now();
      execFileSync(process.execPath, args);
      return performance.now() - startedAt;
    };
  const timestamp = new Date().toISOString();
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.{}`).digest('hex');
  const given = ['--secret', SECRET, '--payload', '{}', '--timestamp', timestamp];
  const results = await alternate(quick ? 1 : rounds * 4, {
    node: run('-e', '0'),
    help: run(programs.svc, '--help'),
    verify: run(programs.svc, 'verify', ...given, '--signature', `v1=${signature}`),
  });
  const node = median(results.node);
  const [help, verify] = [median(results.help), median(results.verify)];
  return [
    {
      name: 'ms for svc --help',
      measured: { svc: help, node },
      ratio: { value: help / node, reach: 1.5, better: 'lower' },
    },
    { name: 'ms for svc verify', measured: { svc: verify, node, ratio: verify / node } },
  ];
};
