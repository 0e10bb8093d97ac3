import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { editJson } from '../../src/cli/edit-json.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createFakeHost } from './fake-context.ts';

/** A host whose editor is a program that replaces `from` by `to`, and records the path of the file. */
async function hostWithEditor(from: string, to: string, exitCode = 0) {
  const folder = createTemporaryFolder();
  const editedCopy = join(folder, 'copy');
  const script = join(folder, 'editor.cjs');
  writeFileSync(
    script,
    `const { readFileSync, writeFileSync } = require('node:fs');
     const file = process.argv[2];
     writeFileSync(${JSON.stringify(editedCopy)}, file);
     writeFileSync(file, readFileSync(file, 'utf8').replace(${JSON.stringify(from)}, ${JSON.stringify(to)}));
     process.exitCode = ${exitCode};`,
  );
  const { host } = createFakeHost({
    env: { PATH: process.env.PATH ?? '', VISUAL: `"${process.execPath}" "${script}"`, EDITOR: 'false' },
  });
  const prompt = { input: createReadStream(devNull), output: createWriteStream(devNull) };
  onTestFinished(() => {
    prompt.input.destroy();
    prompt.output.destroy();
  });
  await Promise.all([once(prompt.input, 'open'), once(prompt.output, 'open')]);
  return {
    host: { ...host, io: { ...host.io, prompt } },
    editedFile: () => readFileSync(editedCopy, 'utf8'),
  };
}

describe('editJson', () => {
  it('the edited text is what the editor in $VISUAL saved, and the temporary file is removed', async () => {
    const { host, editedFile } = await hostWithEditor('1', '9007199254740993');
    await expect(editJson('{\n  "n": 1\n}', host)).resolves.toBe('{\n  "n": 9007199254740993\n}');
    expect(existsSync(editedFile())).toBe(false);
  });

  it('the result is null when nothing was changed', async () => {
    const { host } = await hostWithEditor('x', 'y');
    await expect(editJson('{}', host)).resolves.toBeNull();
  });

  it('a text that is not a JSON object is kept, and the error names its file', async () => {
    const { host, editedFile } = await hostWithEditor('}', ',');
    const error = await editJson('{}', host).catch((refused: unknown) => refused);
    expect(error).toMatchObject({
      code: 'usage',
      hint: { text: expect.stringContaining(`--data @${editedFile()}`) },
    });
    expect(readFileSync(editedFile(), 'utf8')).toBe('{,\n');
  });

  it.skipIf(process.platform === 'win32')(
    'the error for an editor that was killed names the signal',
    async () => {
      const { host } = await hostWithEditor('x', 'y');
      const env = { ...host.env, VISUAL: 'kill -KILL $$ #' };
      await expect(editJson('{}', { ...host, env })).rejects.toMatchObject({
        message: 'The editor "kill -KILL $$ #" was terminated by SIGKILL, so nothing was sent.',
      });
    },
  );

  it('an editor that fails is an error', async () => {
    const { host } = await hostWithEditor('1', '2', 3);
    await expect(editJson('{"n":1}', host)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('exited with code 3, so nothing was sent'),
    });
  });
});
