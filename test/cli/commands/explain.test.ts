import { expect, it } from 'vitest';
import { command } from '../../../src/cli/commands/explain.ts';
import type { Explanation } from '../../../src/operations/explanation-schemas.ts';
import { exampleExplanation } from '../../support/create-example.ts';
import { createFakeContext } from '../fake-context.ts';

const steps = [{ step: 'Use the text of the whole secret as the key', value: 'whsec_…2miI' }];

async function run(options: { readonly steps?: true }, fields: object) {
  const { context, capturedOutput } = createFakeContext({
    width: 80,
    control: { explainDelivery: async () => ({ ...exampleExplanation, ...fields }) },
  });
  await command.run(options, context);
  return capturedOutput;
}

it('svc explain prints the cause first, and the steps of the verification only with --steps', async () => {
  const { out } = await run({}, { steps });
  expect(out).toMatch(/^Cause +receiver_error\n {10}Your receiver returned 503\.\nDelivery /);
  expect(out).not.toContain('How a correct receiver');
  const withSteps = await run({ steps: true }, { steps });
  expect(withSteps.out).toContain(`${out.trimEnd()}\n\nHow a correct receiver verifies the signature\n`);
  expect(withSteps.out).toContain('1. Use the text of the whole secret as the key:\n     whsec_…2miI');
  expect(withSteps.err).toBe('');
});

it('svc explain --steps says so if there are no steps', async () => {
  expect((await run({ steps: true }, { steps: null })).err).toMatch(/There are no steps, .*\.\n$/);
  const attempt = { ...exampleExplanation.attempt, number: 2 } as Explanation['attempt'];
  const { err } = await run({ steps: true }, { steps: null, attempt });
  expect(err).toContain('Explain another attempt with --attempt 1.');
});

it('svc explain prints the first evidence that fits on a small screen', async () => {
  const evidence = Array.from({ length: 20 }, (_, index) => `Fact ${index}.`);
  const { out } = await run({}, { evidence });
  expect(out.trimEnd().split('\n')).toHaveLength(14);
  expect(out).toContain('Evidence  Fact 0.\n          Fact 1.');
});

it('svc explain prints the text of a page, without its tags', async () => {
  const attempt = {
    ...exampleExplanation.attempt,
    response_body: '<title>Page&nbsp;Expired</title><p>419</p>',
  };
  const { out } = await run({}, { attempt: attempt as Explanation['attempt'] });
  expect(out).toContain('Response  Page Expired 419\n');
});
