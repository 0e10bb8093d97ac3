/** The dialog that copies an attempt in different formats. */
import { useState } from 'preact/hooks';
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { toCurl } from '../../../domain/shell.ts';
import { CodeView } from '../../ui/code-view.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { toRawRequest, toSignedCurlCommand, toVitestTest } from './attempt-formats.ts';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly attempt: AttemptDetail;
  readonly onClose: () => void;
}

export function CopyDialog({ delivery, attempt: { number, request }, onClose }: Props) {
  const [openTab, setOpenTab] = useState('curl');
  const formats = [
    {
      what: 'curl command',
      title: 'curl',
      text: toCurl(request),
      description: (
        <>
          The exact request with its original timestamp. Receivers that check the timestamp usually reject it
          after five minutes. To sign it again:{' '}
          <CopyButton
            what="svc sign command"
            label="Copy svc sign command"
            text={toSignedCurlCommand(delivery, request)}
          />
        </>
      ),
    },
    {
      what: 'raw request',
      title: 'Raw HTTP',
      text: toRawRequest(request),
      description: 'The request as HTTP/1.1 text.',
    },
    {
      what: 'test',
      title: 'Vitest',
      text: toVitestTest(delivery, request),
      description: (
        <>
          A complete test with its own emulator and receiver. Install its dependencies with:{' '}
          <code>npm install --save-dev svc-emulator vitest</code>
        </>
      ),
    },
  ];
  const tabs = formats.map(({ what, title, text, description }) => ({
    name: title,
    title,
    render: () => (
      <CodeView key={what} what={what} label={what} text={text} title={<p class="muted">{description}</p>} />
    ),
  }));
  return (
    <Dialog title={`Copy attempt ${number}`} onClose={onClose}>
      <Tabs label="Formats" tabs={tabs} openName={openTab} onOpen={setOpenTab} />
    </Dialog>
  );
}
