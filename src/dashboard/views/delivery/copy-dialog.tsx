/** The dialog that copies an attempt in different formats. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { CodeView } from '../../ui/code-view.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import { toCurlCommand, toRawRequest, toSignedCurlCommand, toVitestTest } from './attempt-formats.ts';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly attempt: AttemptDetail;
  readonly onClose: () => void;
}

export function CopyDialog({ delivery, attempt: { number, request }, onClose }: Props) {
  const [openTab, setOpenTab] = useState('curl');
  const renderPanel = (what: string, text: string, description: ComponentChildren) => (
    <CodeView key={what} what={what} label={what} text={text} title={<p class="muted">{description}</p>} />
  );
  const tabs: Tab[] = [
    {
      name: 'curl',
      title: 'curl',
      render: () =>
        renderPanel(
          'curl command',
          toCurlCommand(request),
          <>
            The exact request with its original timestamp. Receivers that check the timestamp usually reject
            it after five minutes. To sign it again:{' '}
            <CopyButton
              what="svc sign command"
              label="Copy svc sign command"
              text={toSignedCurlCommand(delivery, request)}
            />
          </>,
        ),
    },
    {
      name: 'http',
      title: 'Raw HTTP',
      render: () => renderPanel('raw request', toRawRequest(request), 'The request as HTTP/1.1 text.'),
    },
    {
      name: 'vitest',
      title: 'Vitest',
      render: () =>
        renderPanel(
          'test',
          toVitestTest(delivery, request),
          <>
            A complete test with its own emulator and receiver. Install its dependencies with:{' '}
            <code>npm install --save-dev svc-emulator vitest</code>
          </>,
        ),
    },
  ];
  return (
    <Dialog title={`Copy attempt ${number}`} onClose={onClose}>
      <Tabs label="Formats" tabs={tabs} openName={openTab} onOpen={setOpenTab} />
    </Dialog>
  );
}
