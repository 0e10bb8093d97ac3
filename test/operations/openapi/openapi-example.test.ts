import * as v from 'valibot';
import { expect, it } from 'vitest';
import { createExample } from '../../../src/operations/openapi/openapi-example.ts';
import { Attempt } from '../../../src/resources/attempt.ts';
import { described, resource } from '../../../src/resources/values.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';

it('an example contains the example of a field, or the first choice, and null only if the field says so', () => {
  const schema = resource('A delivery.', {
    name: described('Name.', v.string(), 'a'),
    status: described('Status.', v.picklist(['pending', 'failed'])),
    count: described('Count.', v.nullable(v.number())),
    reason: described('Reason.', v.nullable(v.string()), null),
    items: described('Items.', v.array(v.variant('type', [v.object({ type: v.literal('x') })]))),
  });
  const items = [{ type: 'x' }];
  expect(createExample(schema)).toEqual({ name: 'a', status: 'pending', count: 1, reason: null, items });
});

it('an example contains an optional field only if the field itself has an example', () => {
  const text = v.pipe(v.string(), v.examples(['a']));
  const schema = v.strictObject({
    shown: described('Shown.', v.optional(text), 'b'),
    hidden: described('Hidden.', v.optional(text)),
  });
  expect(createExample(schema)).toEqual({ shown: 'b' });
});

it('a text without an example is an error', () => {
  expect(() => createExample(v.object({ name: v.string() }))).toThrow('A schema of the type string has no');
});

it('the example of an attempt has the error of the emulator for its status', async () => {
  const { response_status, error } = createExample(Attempt);
  await using emulator = await startTestEmulator();
  await using receiver = await createReceiver({ status: response_status ?? 0 });
  const { id } = await emulator.control.createWebhook({ url: receiver.url, events: ['order.lost'] });
  const probe = await emulator.control.probeWebhook({ id });
  expect(probe.forged?.error).toBe(error);
});
