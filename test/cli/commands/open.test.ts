import { describe, expect, it } from 'vitest';
import { command } from '../../../src/cli/commands/open.ts';
import { createFakeContext, type FakeOptions } from '../fake-context.ts';

const status = { dashboard_url: 'http://127.0.0.1:4777/' };

async function open(fake: FakeOptions = {}) {
  const { context, capturedOutput } = createFakeContext({
    env: { BROWSER: '/nowhere/browser' },
    ...fake,
    control: { getStatus: async () => status as never },
  });
  await command.run({}, context);
  return capturedOutput;
}

describe('svc open', () => {
  it('svc open --json prints the URL and starts no browser', async () => {
    const { out, err } = await open({ json: true });
    expect([JSON.parse(out), err]).toEqual([{ url: 'http://127.0.0.1:4777/' }, '']);
  });

  it('svc open starts the browser and reports it on standard error', async () => {
    const env = { BROWSER: `${process.execPath} --eval 0` };
    const { out, err } = await open({ env });
    expect({ out, err }).toEqual({ out: '', err: 'Opened http://127.0.0.1:4777/\n' });
  });

  it('svc open prints the URL and the reason if no browser can be started', async () => {
    const { out, err } = await open();
    expect(out).toBe('http://127.0.0.1:4777/\n');
    expect(err).toBe('No browser was found. Open this address in a browser.\n');
  });
});
