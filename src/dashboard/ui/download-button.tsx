/** A button that opens a dialog with a download of deliveries in each format. */
import { useState } from 'preact/hooks';
import type { ExportFormat, ExportInput } from '../../contract/export-schemas.ts';
import { Dialog } from './dialog.tsx';
import { Icon } from './icon.tsx';

interface Props {
  /** One delivery, or a filter. */
  readonly selection: Omit<ExportInput, 'format'>;
  /** What is downloaded, for the title, such as "this delivery". */
  readonly what: string;
}

export function DownloadButton(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        <Icon name="download" /> Download…
      </button>
      {isOpen && <DownloadDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

const FORMATS: readonly { readonly format: ExportFormat; readonly name: string; readonly use: string }[] = [
  { format: 'har', name: 'HAR', use: 'For browser developer tools' },
  { format: 'ndjson', name: 'NDJSON', use: 'One delivery per line, as JSON' },
];

/** The links make the browser save the file itself, so that the page does not need memory for all of it. */
export function DownloadDialog({ selection, what, onClose }: Props & { readonly onClose: () => void }) {
  return (
    <Dialog title={`Download ${what}`} onClose={onClose}>
      <div class="stack">
        <ul class="plain-list stack">
          {FORMATS.map(({ format, name, use }) => (
            <li key={format} class="row">
              <a class="button" href={toUrl({ format, ...selection })} download>
                {name}
              </a>
              <span class="muted">{use}</span>
            </li>
          ))}
        </ul>
        <p class="muted">
          API keys, endpoint secrets, cookies, passwords and tokens are removed. Signatures are included.
        </p>
      </div>
    </Dialog>
  );
}

/** The URL of the download. The response has the name of the file. */
function toUrl(input: ExportInput): string {
  const url = new URL('/_svc/deliveries/export', location.origin);
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}
