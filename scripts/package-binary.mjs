// npm run package:binary: packs build/svc for a release.
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { formatSums, renderControlFile, renderFormula, renderScoopManifest } from './package-manifests.mjs';

const HELP = `Pack the single executable that npm run build:binary has built

Usage: npm run package:binary -- <step> [options]

Steps:
  archives        Pack it for this platform: an archive, and on Linux a .deb
  manifests       Write SHA256SUMS, a Homebrew formula and a Scoop manifest for all archives in the folder

Options:
  --out FOLDER    Folder of the archives (default: build)
  --url URL       Address of the folder from which users download the archives; required for manifests
  --maintainer M  Maintainer of the .deb, such as "Ada Lovelace <ada@example.com>"
                  (default: local build <root@localhost>)
  --help          Show this text
`;

const root = join(import.meta.dirname, '..');
const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const isWindows = process.platform === 'win32';
const program = join(root, 'build', isWindows ? 'svc.exe' : 'svc');
const licenses = join(root, 'build/LICENSES.md');
const platformNames = { linux: 'linux', darwin: 'macos', win32: 'windows' };

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: 'string', default: join(root, 'build') },
      url: { type: 'string' },
      maintainer: { type: 'string', default: 'local build <root@localhost>' },
      help: { type: 'boolean' },
    },
  });
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  if (values.help) process.stdout.write(HELP);
  else if (positionals.join() === 'archives') await packArchives(out, values.maintainer);
  else if (positionals.join() === 'manifests' && values.url) writeManifests(out, values.url);
  else throw new Error('The step or the option --url is missing.');
} catch (error) {
  console.error(`${error.message}\nSee: npm run package:binary -- --help`);
  process.exitCode = 2;
}

async function packArchives(out, maintainer) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-package-'));
  try {
    const platform = `${platformNames[process.platform]}-${process.arch}`;
    const archive = join(out, `svc-${version}-${platform}.${isWindows ? 'zip' : 'tar.gz'}`);
    // At the same time, because each compression uses one core.
    await Promise.all([
      packArchive(join(folder, 'archive'), archive),
      process.platform === 'linux' && packDeb(join(folder, 'deb'), out, maintainer),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function packArchive(folder, archive) {
  mkdirSync(folder);
  const files = [program, licenses, join(root, 'README.md')];
  for (const file of files) copyFileSync(file, join(folder, file.slice(dirname(file).length + 1)));
  // The tar of Windows creates a zip archive because of the name.
  await execa('tar', [isWindows ? '-acf' : '-czf', archive, ...readdirSync(folder)], { cwd: folder });
  console.log(archive);
}

async function packDeb(folder, out, maintainer) {
  const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch];
  const place = (path) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    return join(folder, path);
  };
  copyFileSync(program, place('usr/bin/svc'));
  symlinkSync('svc', place('usr/bin/svc-emulator'));
  const completions = {
    bash: 'usr/share/bash-completion/completions/svc',
    zsh: 'usr/share/zsh/vendor-completions/_svc',
    fish: 'usr/share/fish/vendor_completions.d/svc.fish',
  };
  for (const [shell, path] of Object.entries(completions)) {
    const { stdout } = await execa(program, ['completion', shell]);
    writeFileSync(place(path), `${stdout}\n`);
  }
  copyFileSync(licenses, place('usr/share/doc/svc-emulator/copyright'));
  for (const name of ['README.md', 'CHANGELOG.md', 'docs']) {
    const isIncluded = (path) => path !== join(root, 'docs/images');
    cpSync(join(root, name), place(`usr/share/doc/svc-emulator/${name}`), {
      recursive: true,
      filter: isIncluded,
    });
  }
  writeFileSync(
    place('DEBIAN/control'),
    renderControlFile({ version, description, architecture, maintainer }),
  );
  // The mode of new files depends on the umask of the user.
  await execa('chmod', ['-R', 'u=rwX,go=rX', folder]);
  const deb = join(out, `svc-emulator_${version}_${architecture}.deb`);
  // Every version of dpkg reads gzip.
  await execa('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', folder, deb]);
  console.log(deb);
}

function writeManifests(out, url) {
  const names = readdirSync(out)
    .filter((name) => /\.(?:tar\.gz|zip|deb)$/.test(name))
    .sort();
  const sums = formatSums(names.map((name) => ({ name, bytes: readFileSync(join(out, name)) })));
  const release = { version, description, url, sums };
  writeFileSync(join(out, 'SHA256SUMS'), sums);
  writeFileSync(join(out, 'svc-emulator.rb'), renderFormula(release));
  writeFileSync(join(out, 'svc-emulator.json'), renderScoopManifest(release));
}
