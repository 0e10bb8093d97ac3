/** What `GET /_svc` returns: where everything is. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { controlOperations, streamedOperations } from '../contract/control-operations.ts';
import type { ControlIndex, EmulatorStatus } from '../contract/emulator-schemas.ts';
import { findPackageFolder } from '../package-files.ts';
import { PACKAGE_URL } from '../package-info.ts';

export function createControlIndex({
  version,
  base_url,
  control_url,
  dashboard_url,
}: EmulatorStatus): ControlIndex {
  const operations = Object.values({ ...controlOperations, ...streamedOperations });
  return {
    version,
    base_url,
    control_url,
    dashboard_url,
    docs_url: findDocsUrl(),
    openapi_url: `${control_url}/openapi.json`,
    operations: operations.map(({ method, path, summary }) => ({ method, url: control_url + path, summary })),
  };
}

/** The documentation of this version, in the folder of the package. */
function findDocsUrl(): string {
  const folder = findPackageFolder();
  return folder === null ? PACKAGE_URL : pathToFileURL(join(folder, 'docs/README.md')).href;
}
