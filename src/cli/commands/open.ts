/** `svc open`: opens the dashboard. */
import { SvcError } from '../../domain/errors.ts';
import { isHttpUrl } from '../../domain/http-url.ts';
import { defineCommand } from '../define-command.ts';
import { openUrl } from '../open-url.ts';

export const command = defineCommand({
  options: { print: { option: '--print', summary: 'Print the address instead of opening a browser' } },
  examples: [
    ['Open the dashboard', 'open'],
    ['Print the address', 'open --print'],
  ],
  async run({ print }, context) {
    const { io, json } = context;
    const { dashboard_url: url } = await (await context.connect()).getStatus({});
    // The emulator can be on another machine.
    if (!isHttpUrl(url))
      throw new SvcError('validation_failed', `The emulator reports an invalid address: ${url}`);
    if (print || json) return context.print({ url }, () => url);
    if (await openUrl(url, context)) return io.note(`Opened ${url}`);
    io.write(url);
    io.note('No browser was found. Open this address in a browser.');
  },
});
