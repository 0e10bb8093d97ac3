import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Benchmark, BenchmarkContext } from './benchmark.ts';
import { boot } from './benchmarks/boot.ts';
import { commands } from './benchmarks/commands.ts';
import { dashboard } from './benchmarks/dashboard.ts';
import { library } from './benchmarks/library.ts';
import { pages } from './benchmarks/pages.ts';
import { peers } from './benchmarks/peers.ts';
import { retries } from './benchmarks/retries.ts';
import { scale } from './benchmarks/scale.ts';
import { throughput } from './benchmarks/throughput.ts';
import { type Finding, meetsFloor, renderFinding } from './report.ts';

const benchmarks: Readonly<Record<string, Benchmark>> = {
  throughput,
  pages,
  boot,
  retries,
  scale,
  commands,
  library,
  dashboard,
};

const HELP = `npm run bench -- [--only NAME]... [--peers] [--quick] [--rounds N] [--seconds N] [--profile FOLDER]

  --only NAME   one of ${Object.keys(benchmarks).join(', ')}; may be repeated
  --peers       compare with other programs, which npm installs into a temporary folder (200 MB); without --only, only these
  --quick       little work, to check that the benchmarks run
  --rounds N    alternating runs for the medians (default: 5)
  --seconds N   how long to observe the dashboard (default: 300)
  --profile F   write a CPU profile of each emulator to the folder F
`;

const results = join(import.meta.dirname, '../results');

/** Runs the selected benchmarks, prints a table and writes it as JSON to bench/results. */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true },
      peers: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const findings: Record<string, Finding[]> = {};
  for (const [name, benchmark] of chosen(values)) {
    console.log(`\n${name}`);
    findings[name] = await runIn(benchmark, {
      rounds: Number(values.rounds ?? (values.quick ? 1 : 5)),
      quick: values.quick,
      seconds: values.seconds === undefined ? undefined : Number(values.seconds),
      profileTo: values.profile,
    });
    for (const finding of findings[name]) console.log(`  ${renderFinding(finding)}`);
  }
  write(findings, values.quick);
}

function chosen({ only, peers: withPeers }: { only?: string[]; peers: boolean }): [string, Benchmark][] {
  const names = only ?? (withPeers ? [] : Object.keys(benchmarks));
  const list = names.map((name): [string, Benchmark] => {
    const benchmark = benchmarks[name];
    if (benchmark === undefined) throw new Error(`The benchmark ${name} does not exist.\n${HELP}`);
    return [name, benchmark];
  });
  return withPeers ? [...list, ['peers', peers]] : list;
}

async function runIn(
  benchmark: Benchmark,
  options: Omit<BenchmarkContext, 'folder' | 'note'>,
): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  try {
    return await benchmark({ ...options, folder, note: (text) => process.stderr.write(`    ${text}\n`) });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function write(findings: Record<string, Finding[]>, quick: boolean): void {
  mkdirSync(results, { recursive: true });
  const at = new Date().toISOString();
  const file = join(results, `${at.replaceAll(':', '-')}.json`);
  const machine = {
    node: process.version,
    platform: process.platform,
    cpus: cpus().map(({ model }) => model),
  };
  const benchmarks = Object.entries(findings).map(([name, list]) => ({
    name,
    findings: list.map((finding) => ({ ...finding, meetsFloor: meetsFloor(finding) })),
  }));
  writeFileSync(file, `${JSON.stringify({ at, quick, machine, benchmarks }, null, 2)}\n`);
  console.log(`\nWritten to ${file}`);
}
