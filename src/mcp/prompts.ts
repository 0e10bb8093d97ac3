/** The prompts of the MCP server: tasks that a user starts, for example as a slash command. */

import { suggestMatch } from '../domain/message-parts.ts';
import { SvcError } from '../errors.ts';
import { type Framework, frameworks, readReceiverExample } from '../fixtures/receiver-examples.ts';
import { EXAMPLE_TYPE, EXAMPLE_URL } from './summarize-delivery.ts';
import { formatCall } from './tool.ts';

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string }[];
  readonly write: (args: Readonly<Record<string, string>>) => string;
}

const prompts: readonly Prompt[] = [
  {
    name: 'debug-delivery',
    title: 'Debug a delivery',
    description: 'Find out why a delivery failed, correct the receiver, and send the delivery again',
    arguments: [{ name: 'id', description: 'ID of the delivery (default: the one that failed last)' }],
    write: ({ id }) =>
      `Find out why ${id === undefined ? 'the delivery that failed last' : `delivery ${id}`} failed, and correct the receiver.

1. Call ${formatCall('explain', id === undefined ? {} : { id })}. It names the cause, the evidence, and the remedy.
2. Find the code of the receiver in this project, and confirm that it has this defect before you change it.
3. Correct it. Restart the receiver if it does not reload.
4. Call replay with the ID of the delivery. It must succeed. If it does not, start again with step 1.
5. Call ${formatCall('receiver', { action: 'check' })}, which finds related defects. It sends about 130 deliveries, so ask first if the receiver changes data that matters.

Do not change the signature check so that it accepts everything. Report the cause and the change in a few sentences.`,
  },
  {
    name: 'write-receiver',
    title: 'Write a receiver',
    description: 'Write a webhook receiver that verifies signatures and handles duplicates',
    arguments: [{ name: 'framework', description: `One of ${frameworks.join(', ')} (default: node)` }],
    write: ({ framework = 'node' }) => writeReceiverPrompt(framework),
  },
  {
    name: 'write-test',
    title: 'Write a test',
    description: 'Write a test of the code that sends or receives webhooks',
    arguments: [{ name: 'type', description: `Event type (default: ${EXAMPLE_TYPE})` }],
    write: ({ type = EXAMPLE_TYPE }) =>
      `Write a test of the code in this project that receives ${type}.

1. Read the resources svc://event-types/${type} and svc://docs/testing.
2. In JavaScript and TypeScript, use the library svc-emulator: the emulator runs in the test process, in memory, with a clock that the test controls. In other languages, print an example with: svc receiver example --tests pytest (or go, rspec, phpunit, junit). Run the tests with: svc emulator exec -- COMMAND, which sets SVC_BASE_URL, SVC_API_KEY, SVC_CONTROL_URL and SVC_WEBHOOK_SECRET.
3. Test that the event is processed once when it is delivered twice, that a wrong signature is rejected with 400, and that a retry after an error of the receiver succeeds. Move the clock instead of sleeping.
4. Run the test. Then break the receiver on purpose, and confirm that the test fails.`,
  },
];

function writeReceiverPrompt(name: string): string {
  const framework = frameworks.find((candidate) => candidate === name);
  if (framework === undefined) throw createFrameworkError(name);
  const { files, install, start } = readReceiverExample(framework satisfies Framework);
  return `Write a receiver of webhooks in this project, with the conventions of its code.

It must verify the signature over the raw body before it parses it, reject a wrong or old signature with 400, store each data.id that it processes and return 200 for one that comes again, and return 2xx before slow work.

1. Start from the example below, which passes every check.${install === null ? '' : ` It needs: ${install}.`} It starts with: ${start}
2. Call ${formatCall('receiver', { action: 'register', url: EXAMPLE_URL })} with the URL of the receiver, then ${formatCall('receiver', { action: 'secret' })}. Start the receiver with this secret in SVC_WEBHOOK_SECRET.
3. Call ${formatCall('trigger', { type: EXAMPLE_TYPE, wait_seconds: 10 })}, then ${formatCall('receiver', { action: 'check' })}, and correct what fails.

${files.map(({ path, content }) => `${path}:\n\`\`\`\n${content.trimEnd()}\n\`\`\``).join('\n\n')}`;
}

function createFrameworkError(name: string): SvcError {
  const hint = suggestMatch(name, frameworks) ?? `Use one of ${frameworks.join(', ')}.`;
  return new SvcError('validation_failed', 'No example exists for this framework.', { hint });
}

export function listPrompts() {
  return prompts.map(({ write: _, arguments: args, ...prompt }) => ({ ...prompt, arguments: [...args] }));
}

/** @throws SvcError `not_found` for an unknown name, `validation_failed` for an unknown framework */
export function getPrompt(name: string, args: Readonly<Record<string, string>>) {
  const prompt = prompts.find((candidate) => candidate.name === name);
  if (prompt === undefined) throw new SvcError('not_found', 'The prompt does not exist.');
  const content = { type: 'text' as const, text: prompt.write(args) };
  return { description: prompt.description, messages: [{ role: 'user' as const, content }] };
}
