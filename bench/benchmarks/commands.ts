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
  const verify = ['--secret', SECRET, '--payload', '{}', '--timestamp', timestamp];
  const results = await alternate(quick ? 1 : rounds * 4, {
    node: run('-e', '0'),
    help: run(programs.svc, '--help'),
    verify: run(programs.svc, 'verify', ...verify, '--signature', `v1=${signature}`),
  });
  const node = median(results.node);
  const compare = (command: 'help' | 'verify', name: string) => {
    const svc = median(results[command]);
    return { name, measured: { svc, node }, value: svc / node };
  };
  const { value, ...help } = compare('help', 'ms for svc --help');
  const { value: verifyRatio, ...verified } = compare('verify', 'ms for svc verify');
  return [
    { ...help, ratio: { value, reach: 1.5, better: 'lower' } },
    { ...verified, measured: { ...verified.measured, ratio: verifyRatio } },
  ];
};
