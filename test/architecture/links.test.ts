/** Checks that each link between documents leads to an existing file and heading. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { pages, readPage, root } from '../support/documents.ts';

const withoutCode = (markdown: string) =>
  markdown
    .replace(/^( *)```[\s\S]*?^\1```$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/** The anchors that GitHub creates from headings, and those of `<a id>`. */
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

function linkExists(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? join(root, page) : join(root, dirname(page), path);
  if (!existsSync(file) || relative(root, file).startsWith('..')) return false;
  return anchor === undefined || listAnchors(file).includes(anchor);
}

it.each(pages)('every link in %s leads to an existing file and anchor', (page) => {
  const links = Array.from(
    withoutCode(readPage(page)).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g),
    ([, link, source]) => link ?? source ?? '',
  );
  const local = links.filter((link) => !/^[a-z]+:/.test(link));
  expect(local.filter((link) => !linkExists(page, link))).toEqual([]);
});

it('every source file that a page names exists', () => {
  const named = pages.flatMap((page) =>
    Array.from(
      readPage(page).matchAll(/`((?:src|test|scripts|bin|bench)\/[\w./-]+\.[cm]?[jt]sx?)`/g),
      ([, path = '']) => ({ page, path }),
    ),
  );
  expect(named).toContainEqual({ page: 'ARCHITECTURE.md', path: 'src/store/group-commit.ts' });
  expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
});
