/** Downloads of deliveries in each format. */
import type { ExportFormat, ExportInput } from '../../contract/export-schemas.ts';
import { Icon } from './icon.tsx';
import { Popover } from './popover.tsx';

interface Props {
  /** One delivery, or a filter. */
  readonly selection: Omit<ExportInput, 'format'>;
}

/** @param what what is downloaded, for screen readers, such as "all matches" */
export function DownloadButton({ selection, what }: Props & { readonly what: string }) {
  return (
    <Popover
      label={`Download ${what}`}
      button={
        <>
          <Icon name="download" /> Download…
        </>
      }
    >
      <DownloadLinks selection={selection} />
    </Popover>
  );
}

const formats: Readonly<Record<ExportFormat, string>> = { har: 'HAR', ndjson: 'NDJSON' };

/** The links make the browser save the file itself, so that the page does not need memory for all of it. */
export function DownloadLinks({ selection }: Props) {
  return (
    <div class="stack">
      {Object.entries(formats).map(([format, name]) => (
        <a
          key={format}
          class="button"
          href={toUrl({ format: format as ExportFormat, ...selection })}
          download
        >
          <Icon name="download" /> {name}
        </a>
      ))}
      <p class="muted">Without keys, secrets, cookies, passwords and tokens.</p>
    </div>
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
