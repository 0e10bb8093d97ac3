/**
 * Runs the programs whose recorded results `test/signature/json-serializers.test.ts` uses, where they are installed in the
 * recorded version. `vitest run --update` records them again.
 */
import { expect, it } from 'vitest';
import {
  getRecordedFile,
  programNames,
  readRecorded,
  runProgram,
} from '../signature/serializers/programs.ts';

const minorOf = (version: string) => version.split('.').slice(0, 2).join('.');

it.for(programNames)('the recorded results of %s are those of the program', async (name, { skip }) => {
  const results = runProgram(name);
  if (results === null) return skip(`${name} or a library that it needs is not installed`);
  const recorded = readRecorded(name);
  if (minorOf(results.version) !== minorOf(recorded.version)) {
    return skip(`version ${results.version} is installed, and ${recorded.version} is recorded`);
  }
  const { version: _, ...others } = results;
  const text = `${JSON.stringify({ version: recorded.version, ...others }, null, 1)}\n`;
  await expect(text).toMatchFileSnapshot(getRecordedFile(name));
});
