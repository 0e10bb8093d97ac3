/** The texts that package managers read about a release. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';

interface Release {
  readonly version: string;
  readonly description: string;
  readonly url: string;
  readonly sums: string;
}
interface PackageManifests {
  formatSums(files: readonly { name: string; bytes: Buffer }[]): string;
  renderControlFile(
    release: Pick<Release, 'version' | 'description'> & { architecture: string; maintainer: string },
  ): string;
  renderFormula(release: Release): string;
  renderScoopManifest(release: Release): string;
}

const scripts = pathToFileURL(join(import.meta.dirname, '../../scripts/package-manifests.mjs')).href;
const { formatSums, renderControlFile, renderFormula, renderScoopManifest }: PackageManifests = await import(
  scripts
);

const archives = [
  'linux-arm64.tar.gz',
  'linux-x64.tar.gz',
  'macos-arm64.tar.gz',
  'macos-x64.tar.gz',
  'windows-x64.zip',
];
const sums = formatSums(archives.map((name) => ({ name: `svc-1.2.3-${name}`, bytes: Buffer.from(name) })));
const sumOf = (name: string) => new RegExp(`^(\\w+) {2}svc-1\\.2\\.3-${name}`, 'm').exec(sums)?.[1];
const release = {
  version: '1.2.3',
  description: 'The local emulator of an API: signed deliveries.',
  url: 'https://example.com/v1.2.3',
  sums,
};

it('formatSums writes the lines that sha256sum --check reads', () => {
  expect(formatSums([{ name: 'a.txt', bytes: Buffer.from('abc') }])).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a.txt\n',
  );
});

it('the control file of a .deb names the version, the architecture, the maintainer and a short description', () => {
  expect(
    renderControlFile({ ...release, architecture: 'arm64', maintainer: 'Ada <ada@example.com>' }).split('\n'),
  ).toEqual(
    expect.arrayContaining([
      'Version: 1.2.3',
      'Architecture: arm64',
      'Maintainer: Ada <ada@example.com>',
      'Description: Local emulator of an API',
    ]),
  );
});

it('the Homebrew formula has the address and the checksum of each archive for macOS and Linux', () => {
  const formula = renderFormula(release);
  for (const platform of ['linux-arm64', 'linux-x64', 'macos-arm64', 'macos-x64']) {
    expect(formula).toContain(
      `url "https://example.com/v1.2.3/svc-1.2.3-${platform}.tar.gz"\n      sha256 "${sumOf(platform)}"`,
    );
  }
  expect(formula).toContain('desc "Local emulator of an API"');
});

const hasRuby = !(await execa('ruby', ['--version'], { reject: false })).failed;
it.skipIf(!hasRuby)('the Homebrew formula is valid Ruby', async () => {
  const { stdout } = await execa('ruby', ['-c'], { input: renderFormula(release) });
  expect(stdout).toBe('Syntax OK');
});

it('the Scoop manifest has the address and the checksum of the archive for Windows', () => {
  expect(JSON.parse(renderScoopManifest(release))).toMatchObject({
    version: '1.2.3',
    architecture: {
      '64bit': { url: 'https://example.com/v1.2.3/svc-1.2.3-windows-x64.zip', hash: sumOf('windows-x64') },
    },
  });
});

it('a manifest is not written when an archive is missing', () => {
  expect(() => renderScoopManifest({ ...release, sums: '' })).toThrow(
    'The folder has no svc-1.2.3-windows-x64.zip.',
  );
});
