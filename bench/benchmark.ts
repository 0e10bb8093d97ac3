import type { Finding } from './report.ts';

/** The settings and helpers of a benchmark run. */
export interface BenchmarkContext {
  /** Temporary folder, which is deleted after each benchmark. */
  readonly folder: string;
  /** Rounds of alternating runs. */
  readonly rounds: number;
  /** Few requests and small tables, to check that the benchmark works. */
  readonly quick: boolean;
  /** Duration of benchmarks that observe over time; undefined for their minimum. */
  readonly seconds: number | undefined;
  /** Folder for CPU profiles of the emulator. */
  readonly profileTo: string | undefined;
  note(text: string): void;
}

export type Benchmark = (bench: BenchmarkContext) => Promise<Finding[]>;
