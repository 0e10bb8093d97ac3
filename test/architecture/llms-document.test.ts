/**
 * Generates docs/llms.txt, an index of the docs for language models (https://llmstxt.org), from docs/README.md:
 * `npx vitest run test/architecture/llms-document.test.ts --update`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readPage, root } from '../support/documents.ts';

const { description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const sections = readPage('docs/README.md')
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [title = ''] = section.split('\n', 1);
    const links = Array.from(
      section.matchAll(/^- \[(.+?)\]\((.+?)\): (.+)$/gm),
      ([, name, path, text = '']) => `- [${name}](${path}): ${text.replace(/\[(.+?)\]\(.+?\)/g, '$1')}`,
    );
    return `## ${title}\n\n${links.join('\n')}`;
  });

const document = `# svc

> ${description}

The links are relative to this file, which is in the folder \`docs\` of the npm package \`svc-emulator\`. For the steps of testing a webhook receiver, read
[the skill](../skills/svc/SKILL.md) first. \`svc COMMAND --help\` shows the options of a command, with examples.

${sections.join('\n\n')}
`;

it('docs/llms.txt lists every page of docs/README.md', async () => {
  expect(document.match(/^- /gm)?.length).toBe(readPage('docs/README.md').match(/^- \[/gm)?.length);
  await expect(
    document,
    'Update the page with: npx vitest run test/architecture --update',
  ).toMatchFileSnapshot(join(root, 'docs/llms.txt'));
});
