/** The dialog that copies an attempt in different formats. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { type Tab, Tabs } from '../../ui/tabs.tsx';
import {
  listCommands,
  toCurlCommand,
  toRawRequest,
  toSignedCurlCommand,
  toVitestTest,
} from './attempt-formats.ts';

interface Props {
  readonly delivery: DeliveryDetail;
  readonly attempt: AttemptDetail;
  readonly onClose: () => void;
}

export function CopyDialog({ delivery, attempt: { number, request }, onClose }: Props) {
  const [open, setOpen] = useState('curl');
  const tabs: Tab[] = [
    {
      name: 'curl',
      title: 'curl',
      render: () => (
        <Format what="curl command" text={toCurlCommand(request)}>
          The exact request with its original timestamp. Receivers that check the timestamp reject it after
          five minutes. To sign it again:{' '}
          <CopyButton
            what="svc sign command"
            label="Copy svc sign command"
            text={toSignedCurlCommand(delivery, request)}
          />
        </Format>
      ),
    },
    {
      name: 'svc',
      title: 'svc',
      render: () =>
        listCommands(delivery).map(({ description, command }) => (
          <Format key={command} what={`command: ${description}`} text={command}>
            {description}
          </Format>
        )),
    },
    {
      name: 'http',
      title: 'Raw HTTP',
      render: () => (
        <Format what="raw request" text={toRawRequest(request)}>
          The request as HTTP/1.1 text.
        </Format>
      ),
    },
    {
      name: 'vitest',
      title: 'Vitest',
      render: () => (
        <Format what="test" text={toVitestTest(delivery, request)}>
          A complete test with its own emulator and receiver:{' '}
          <code>npm install --save-dev svc-emulator vitest</code>
        </Format>
      ),
    },
  ];
  return (
    <Dialog title={`Copy attempt ${number}`} onClose={onClose}>
      <Tabs label="Formats" tabs={tabs} openName={open} onOpen={setOpen} />
    </Dialog>
  );
}

interface FormatProps {
  readonly what: string;
  readonly text: string;
  readonly children: ComponentChildren;
}

function Format({ what, text, children }: FormatProps) {
  return (
    <div class="delivery-panel">
      <div class="row">
        <p class="muted">{children}</p>
        <CopyButton what={what} label="Copy" text={text} />
      </div>
      <pre>{text}</pre>
    </div>
  );
}
