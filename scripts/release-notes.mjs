// Prints the section of CHANGELOG.md for a version, as the notes of its release. Usage: release-notes.mjs VERSION
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , version] = process.argv;
const changelog = readFileSync(join(import.meta.dirname, '../CHANGELOG.md'), 'utf8');
const sections = changelog.split(/^(?=## \[)/m);
const section = sections.find((text) => text.startsWith(`## [${version}]`));
if (section === undefined) {
  console.error(`CHANGELOG.md has no section [${version}].`);
  process.exitCode = 1;
} else {
  // Links to pages of the repository would lead nowhere from the page of a release.
  const [, ...lines] = section.replace(/\[([^\]]+)\]\((?!https?:)[^)]+\)/g, '$1').split('\n');
  process.stdout.write(`${lines.join('\n').trim()}\n`);
}
