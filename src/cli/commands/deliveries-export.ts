/** `svc deliveries export`: writes deliveries to one file or to standard output, without secrets. */
import { extname, resolve } from 'node:path';
import { Argument } from 'commander';
import { type ExportFormat, exportFormatNames } from '../../contract/export-schemas.ts';
import { SvcError } from '../../errors.ts';
import type { CommandDefinition } from '../command.ts';
import { addDeliveryFilterOptions, type DeliveryFilterOptions } from '../delivery-filter-options.ts';
import { writeParts } from '../file-access.ts';
import { choiceOption } from '../option-parsers.ts';
import { withProgress } from '../progress.ts';
import { formatSize } from '../render/format.ts';

interface ExportOptions extends DeliveryFilterOptions {
  readonly id?: string;
  readonly format?: ExportFormat;
  readonly out?: string;
}

const DEFAULT_FORMAT: ExportFormat = 'ndjson';

const DETAILS = `
The file contains all attempts, oldest delivery first. API keys, endpoint secrets, cookies, passwords and tokens are replaced
by [removed]. Signatures are included, because they reveal nothing without the secret.

Developer tools of browsers open har. svc events import reads both formats.`;

export const command: CommandDefinition<ExportOptions> = {
  configure: (command) =>
    addDeliveryFilterOptions(
      command
        .addArgument(
          new Argument('[id]', 'Delivery ID (del_…)').default(undefined, 'all deliveries that match'),
        )
        .addOption(
          choiceOption('--format <format>', 'Format of the file', exportFormatNames).default(
            undefined,
            `the extension of --out, or ${DEFAULT_FORMAT}`,
          ),
        )
        .optionWithDefault('--out <file>', 'File to write; an existing file is replaced', 'standard output'),
    ).addHelpText('after', DETAILS),
  examples: [
    ['Save one delivery to share it', 'deliveries export del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --out delivery.har'],
    [
      'Save the deliveries that failed in the last hour for the developer tools of a browser',
      'deliveries export --status failed --since 1h --out failed.har',
    ],
    [
      'Print the deliveries of an event, one JSON object per line',
      'deliveries export --event evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    ],
  ],
  async run({ id, format: formatOption, out, ...filter }, context) {
    const format = formatOption ?? findFormat(out) ?? DEFAULT_FORMAT;
    if (id !== undefined && Object.values(filter).some((value) => value !== undefined)) {
      throw new SvcError('usage', 'A delivery ID and a filter cannot be used together.', {
        hint: 'Remove the ID, or the options that filter.',
      });
    }
    const control = await context.connect();
    const parts = await control.exportDeliveries({ format, delivery_id: id, ...filter }, context.signal);
    if (out === undefined) {
      for await (const part of parts) context.io.write(part);
      return;
    }
    const path = resolve(context.cwd, out);
    let writtenBytes = 0;
    const work = writeParts(path, parts, (sizeBytes) => {
      writtenBytes = sizeBytes;
    });
    const sizeBytes = await withProgress(context, async () => `Saving… ${formatSize(writtenBytes)}`, work);
    context.print({ path, format, size_bytes: sizeBytes }, () => `Saved ${out} (${formatSize(sizeBytes)}).`);
  },
};

function findFormat(file = ''): ExportFormat | undefined {
  const extension = extname(file).slice(1).toLowerCase();
  return exportFormatNames.find((format) => format === extension);
}
