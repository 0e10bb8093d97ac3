import { describe, expect, it, vi } from 'vitest';
import { exportNdjson as exportCommand } from '../../../src/cli/commands/deliveries.ts';
import type { ControlPlane } from '../../../src/operations/control-plane.ts';
import { createFakeContext } from '../fake-context.ts';

function setUp() {
  async function* read() {
    yield '{"a":"é👋"}\n';
    yield '{"b":2}\n';
  }
  const exportDeliveries = vi.fn<ControlPlane['exportDeliveries']>(async () => read());
  return { exportDeliveries, ...createFakeContext({ control: { exportDeliveries } }) };
}

describe('svc deliveries export', () => {
  it('the deliveries are written to standard output', async () => {
    const { context, capturedOutput } = setUp();
    await exportCommand.run({}, context);
    expect(capturedOutput).toEqual({ out: '{"a":"é👋"}\n{"b":2}\n', err: '' });
  });

  it('the filter options are parameters of the request', async () => {
    const { context, exportDeliveries } = setUp();
    const filter = {
      ...{
        status: 'failed' as const,
        event_id: 'evt_1',
        type: 'a.b',
        webhook_id: 'wh_1',
        workspace_id: 'ws_1',
      },
      ...{ text: 'x', since: '2h', until: '1h' },
    };
    await exportCommand.run(filter, context);
    expect(exportDeliveries.mock.calls[0]?.[0]).toEqual({
      ...{ delivery_id: undefined, ...filter },
    });
  });
});
