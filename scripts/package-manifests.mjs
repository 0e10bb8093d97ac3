// The texts that package managers read: checksums, the control file of a .deb, a Homebrew formula and a Scoop manifest.
import { createHash } from 'node:crypto';

/** In the format of `sha256sum`. */
export function formatSums(files) {
  return files
    .map(({ name, bytes }) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
    .join('');
}

export function renderControlFile({ version, description, architecture, maintainer }) {
  return `Package: svc-emulator
Version: ${version}
Architecture: ${architecture}
Maintainer: ${maintainer}
Depends: libc6 (>= 2.28), libgcc-s1 | libgcc1, libstdc++6 (>= 8)
Section: devel
Priority: optional
Description: ${shorten(description)}
`;
}

export function renderFormula({ version, description, url, sums }) {
  const source = (platform) => {
    const name = `svc-${version}-${platform}.tar.gz`;
    return `      url "${url}/${name}"\n      sha256 "${findSum(sums, name)}"`;
  };
  const architectures = (platform) => `    on_arm do
${source(`${platform}-arm64`)}
    end
    on_intel do
${source(`${platform}-x64`)}
    end`;
  return `class SvcEmulator < Formula
  desc "${shorten(description)}"
  homepage "https://www.npmjs.com/package/svc-emulator"
  version "${version}"
  license "MIT"

  on_macos do
${architectures('macos')}
  end
  on_linux do
${architectures('linux')}
  end

  def install
    bin.install "svc"
    bin.install_symlink "svc" => "svc-emulator"
    generate_completions_from_executable(bin/"svc", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/svc --version")
  end
end
`;
}

export function renderScoopManifest({ version, description, url, sums }) {
  const name = `svc-${version}-windows-x64.zip`;
  const manifest = {
    version,
    description: shorten(description),
    homepage: 'https://www.npmjs.com/package/svc-emulator',
    license: 'MIT',
    architecture: { '64bit': { url: `${url}/${name}`, hash: findSum(sums, name) } },
    bin: ['svc.exe', ['svc.exe', 'svc-emulator']],
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** @throws Error if the archive was not built, because the manifest would not work */
function findSum(sums, name) {
  const line = sums.split('\n').find((text) => text.endsWith(`  ${name}`));
  if (line === undefined) throw new Error(`The folder has no ${name}.`);
  return line.split(' ')[0];
}

/** The part before the colon, without the article: Homebrew and Debian ask for a short phrase. */
function shorten(description) {
  return description
    .split(':')[0]
    .replace(/^The /, '')
    .replace(/^./, (letter) => letter.toUpperCase());
}
