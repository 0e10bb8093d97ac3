/** Links between the documents of the repository lead to a file and a heading that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

function listPages(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

const pages = [...readdirSync(root).filter((name) => name.endsWith('.md')), ...listPages('docs')];

const withoutCode = (markdown: string) =>
  markdown
    .replace(/^( *)```[\s\S]*?^\1```$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/** Anchors as GitHub makes them from headings, and those of `<a id>`. */
function listAnchors(file: string): string[] {
  const markdown = readFileSync(file, 'utf8').replace(/^( *)```[\s\S]*?^\1```$/gm, '');
  const headings = Array.from(markdown.matchAll(/^#{1,6} (.+)$/gm), ([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...Array.from(markdown.matchAll(/<a id="([^"]+)">/g), ([, id = '']) => id)];
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? join(root, page) : join(root, dirname(page), path);
  if (!existsSync(file) || relative(root, file).startsWith('..')) return false;
  return anchor === undefined || listAnchors(file).includes(anchor);
}

it.each(pages)('every link in %s leads to a file and an anchor that exist', (page) => {
  const links = Array.from(
    withoutCode(readFileSync(join(root, page), 'utf8')).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g),
    ([, link, source]) => link ?? source ?? '',
  );
  const local = links.filter((link) => !/^[a-z]+:/.test(link));
  expect(local.filter((link) => !leadsSomewhere(page, link))).toEqual([]);
});
