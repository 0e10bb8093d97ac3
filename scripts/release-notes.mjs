// Prints the notes of a release: the section of CHANGELOG.md for its version, and how to install it.
// Usage: release-notes.mjs VERSION REPOSITORY, such as release-notes.mjs 1.0.0 OWNER/NAME
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , version, repository] = process.argv;
const changelog = readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8');
const sections = changelog.split(/^(?=## \[)/m);
const section = sections.find((text) => text.startsWith(`## [${version}]`));
if (section === undefined) {
  console.error(`CHANGELOG.md has no section [${version}].`);
  process.exitCode = 1;
} else if (!/^[\w.-]+\/[\w.-]+$/.test(repository ?? '')) {
  console.error('Pass the repository, such as OWNER/NAME.');
  process.exitCode = 1;
} else {
  // Links to pages of the repository would lead nowhere from the page of a release.
  const [, ...lines] = section.replace(/\[([^\]]+)\]\((?!https?:)[^)]+\)/g, '$1').split('\n');
  process.stdout.write(`${lines.join('\n').trim()}\n\n${describeInstallation(version, repository)}\n`);
}

/** The addresses that the documents do not contain, because they depend on where the release was made. */
function describeInstallation(version, repository) {
  return `### Install this release

- npm: \`npm i -D svc-emulator@${version}\`
- Files: \`https://github.com/${repository}/releases/download/v${version}\`
- Image: \`ghcr.io/${repository.toLowerCase()}:${version}\`
- Action: \`${repository}@v${version}\`
- Verify the origin of a file: \`gh attestation verify FILE --repo ${repository}\``;
}
