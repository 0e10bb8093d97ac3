/** `svc deliveries export`: writes deliveries to one file or to standard output, without secrets. */
import { resolve } from 'node:path';
import { SvcError } from '../../domain/errors.ts';
import { deliveryChoices } from '../choices/resource-choices.ts';
import { ChosenArgument, type CommandDefinition } from '../command.ts';
import { addDeliveryFilterOptions, type DeliveryFilterOptions } from '../delivery-filter-options.ts';
import { writeParts } from '../file-access.ts';
import { withProgress } from '../progress.ts';
import { formatSize } from '../render/format.ts';

interface ExportOptions extends DeliveryFilterOptions {
  readonly id?: string;
  readonly out?: string;
}

const DETAILS = `
The file is NDJSON: one delivery with its attempts per line, oldest first. API keys, endpoint secrets, cookies, passwords and tokens are replaced
by [removed]. Signatures are included, because they reveal nothing without the secret.

svc events import and svc gaps check read the file.`;

export const command: CommandDefinition<ExportOptions> = {
  configure: (command) =>
    addDeliveryFilterOptions(
      command
        .addArgument(
          new ChosenArgument('[id]', 'Delivery ID (del_…)', [deliveryChoices]).default(
            undefined,
            'all deliveries that match',
          ),
        )
        .optionWithDefault('--out <file>', 'File to write; an existing file is replaced', 'standard output'),
    ).addHelpText('after', DETAILS),
  examples: [
    [
      'Save one delivery to share it',
      'deliveries export del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --out delivery.ndjson',
    ],
    [
      'Save the deliveries that failed in the last hour',
      'deliveries export --status failed --since 1h --out failed.ndjson',
    ],
    [
      'Print the deliveries of an event, one JSON object per line',
      'deliveries export --event evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    ],
  ],
  async run({ id, out, ...filter }, context) {
    if (id !== undefined && Object.values(filter).some((value) => value !== undefined)) {
      throw new SvcError('usage', 'A delivery ID and a filter cannot be used together.', {
        hint: 'Remove the ID, or the options that filter.',
      });
    }
    const control = await context.connect();
    const parts = await control.exportDeliveries({ delivery_id: id, ...filter }, context.signal);
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
    context.print({ path, size_bytes: sizeBytes }, () => `Saved ${out} (${formatSize(sizeBytes)}).`);
  },
};
