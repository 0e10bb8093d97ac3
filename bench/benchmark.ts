import type { Finding } from './report.ts';

/** What a benchmark is given to work with. */
export interface BenchmarkContext {
  /** A folder that is emptied after each benchmark. */
  readonly folder: string;
  /** Rounds of alternating runs. */
  readonly rounds: number;
  /** Few requests and small tables: to see whether it works, not how fast. */
  readonly quick: boolean;
  /** How long to watch what is watched over time; undefined for as long as it takes to see something. */
  readonly seconds: number | undefined;
  /** Where to write CPU profiles of the emulator. */
  readonly profileTo: string | undefined;
  note(text: string): void;
}

export type Benchmark = (bench: BenchmarkContext) => Promise<Finding[]>;
