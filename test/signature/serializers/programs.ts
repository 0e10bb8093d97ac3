/** Runs the programs that serialize JSON. Their recorded results are the files next to them. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const jars = ['gson', 'jackson-core', 'jackson-annotations', 'jackson-databind'];
const classPath = jars.map((name) => `/usr/share/java/${name}.jar`).join(':');

/** The commands by the name of the recorded file. Ruby needs ActiveSupport, and Java needs Gson and Jackson. */
export const programs = {
  javascript: [process.execPath, 'serialize.mjs'],
  python: ['python3', 'serialize.py'],
  php: ['php', 'serialize.php'],
  ruby: ['ruby', 'serialize.rb'],
  go: ['go', 'run', 'serialize.go'],
  java: ['java', '-cp', classPath, 'Serialize.java'],
} as const satisfies Record<string, readonly string[]>;

export type ProgramName = keyof typeof programs;
export const programNames = Object.keys(programs) as ProgramName[];

export interface SerializedPayloads {
  readonly version: string;
  /** What each serializer makes of each payload; null for an error. */
  readonly ways: Readonly<Record<string, readonly (string | null)[]>>;
}

const readJson = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'));

export const payloads: readonly string[] = readJson('payloads.json');

export function getRecordedFile(name: ProgramName): string {
  return join(import.meta.dirname, `${name}.json`);
}

export function readRecorded(name: ProgramName): SerializedPayloads {
  return readJson(`${name}.json`);
}

/** What the installed program writes; null if it, or a library that it needs, is not installed. */
export function runProgram(name: ProgramName): SerializedPayloads | null {
  const [command, ...args] = programs[name];
  const { stdout, status } = spawnSync(command, args, {
    cwd: import.meta.dirname,
    input: JSON.stringify(payloads),
    encoding: 'utf8',
  });
  return status === 0 ? JSON.parse(stdout) : null;
}
