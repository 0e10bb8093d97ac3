import { afterAll, beforeAll, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { defects } from './defective-receiver.ts';
import { connectMcp } from './mcp-client.ts';
import { playStory } from './mcp-story.ts';

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator();
});
afterAll(() => emulator.close());

it.each(defects)(
  'an agent finds the defect %s with explain, corrects it, and replays the delivery',
  async (defect) => {
    await using mcp = await connectMcp(emulator);
    await playStory(defect, mcp);
  },
);
