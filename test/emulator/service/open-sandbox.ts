/** A sandbox without a server, in memory, with a wall clock that the test moves. */

import type { Caller } from '../../../src/emulator/service/access.ts';
import { createSandbox, type Sandbox, type SandboxEvent } from '../../../src/emulator/service/sandbox.ts';
import type { LoadedWorkspace } from '../../../src/emulator/service/workspace-registry.ts';
import { type Overrides, resolveRules } from '../../../src/profile/resolve-rules.ts';
import { openStore } from '../../store/rows.ts';
import { createTestWallClock, type TestWallClock } from '../../support/test-wall-clock.ts';

interface OpenSandbox {
  readonly sandbox: Sandbox & { readonly wall: TestWallClock };
  /** The events that were published. */
  readonly published: SandboxEvent[];
  /** Creates a workspace, with a running clock by default. */
  addWorkspace(name: string, clock?: { speed?: number; frozen?: boolean; now?: string }): LoadedWorkspace;
}

export function openSandbox(
  overrides: Overrides = {},
  newClockSettings = { speed: 1, frozen: false },
): OpenSandbox {
  const store = openStore();
  const wall = createTestWallClock();
  const sandbox = createSandbox({
    environment: 'sandbox',
    rules: resolveRules('relaxed', overrides, 'sandbox'),
    store,
    wall,
    eventTypes: new Set(),
    newClockSettings,
    randomSeed: 1,
    seedsKeys: true,
    hasConstantTimestamp: false,
  });
  const published: SandboxEvent[] = [];
  sandbox.bus.subscribe((event) => published.push(event));
  return {
    sandbox: { ...sandbox, wall },
    published,
    addWorkspace: (name, clock) =>
      store.writeNow(() => sandbox.workspaces.get(sandbox.workspaces.insert({ name, clock }).seq)),
  };
}

/** The caller with a key for one workspace or, with null, for all. */
export function createCaller(workspace: LoadedWorkspace | null, scopes: Caller['scopes'] = []): Caller {
  return { keySeq: 1, keyId: 'key_1', workspaceSeq: workspace?.seq ?? null, scopes };
}
