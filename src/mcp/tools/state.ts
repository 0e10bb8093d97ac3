/** The tool `state`: saves, loads and resets the state of the emulator. */
import { resolve } from 'node:path';
import * as v from 'valibot';
import { defineTool, formatCall, requireArgument } from '../tool.ts';

export const stateTool = defineTool({
  name: 'state',
  description: 'Save or load a snapshot, or reset the state',
  hints: { destructiveHint: true },
  nextAfterError: formatCall('status'),
  input: v.strictObject({
    action: v.picklist(['save', 'load', 'reset']),
    path: v.optional(v.pipe(v.string(), v.description('Snapshot file'))),
  }),
  output: {},
  async run({ action, path }, { emulator: { control }, projectFolder }) {
    const next = formatCall('status');
    if (action === 'reset') {
      await control.reset({});
      return { next };
    }
    const file = resolve(projectFolder, requireArgument(path, 'path', 'before.svc'));
    if (action === 'load') {
      await control.loadSnapshot({ path: file });
      return { path: file, next };
    }
    const saved = await control.saveSnapshot({ path: file });
    return { ...saved, next: formatCall('state', { action: 'load', path: file }) };
  },
});
