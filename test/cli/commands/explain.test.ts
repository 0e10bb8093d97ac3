import { it } from 'vitest';
import { command } from '../../../src/cli/commands/explain.ts';
import { exampleExplanation } from '../../support/create-example.ts';
import { createFakeContext } from '../fake-context.ts';
import { expectGolden } from '../golden-output.ts';

const steps = [{ step: 'Use the text of the whole secret as the key', value: 'whsec_…2miI' }];

async function run(options: { readonly steps?: true }, fields: object) {
  const { context, capturedOutput } = createFakeContext({
    width: 80,
    control: { explainDelivery: async () => ({ ...exampleExplanation, ...fields }) },
  });
  await command.run(options, context);
  return capturedOutput;
}

it('the explanations are those of golden/explain.txt', async () => {
  const { attempt } = exampleExplanation;
  const page = { ...attempt, response_body: '<title>Page&nbsp;Expired</title><p>419</p>' };
  const evidence = Array.from({ length: 20 }, (_, index) => `Fact ${index}.`);
  const texts: Record<string, string> = {};
  for (const [title, options, fields] of [
    ['the cause first', {}, { steps }],
    ['with --steps', { steps: true }, { steps }],
    ['with --steps, but there are none', { steps: true }, { steps: null }],
    [
      'with --steps, and a second attempt',
      { steps: true },
      { steps: null, attempt: { ...attempt, number: 2 } },
    ],
    ['the first evidence that fits on a small screen', {}, { evidence }],
    ['the text of a page without its tags', {}, { attempt: page }],
  ] as const) {
    const { out, err } = await run(options, fields);
    texts[title] = `${out}${err.replace(/^(?=.)/gm, '! ')}`;
  }
  await expectGolden('explain', texts);
});
