/** An attempt in the forms in which it is of use elsewhere. */
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
        <Form what="the curl command" text={toCurlCommand(request)}>
          The very request, with the timestamp of then: a receiver that checks it refuses it after five
          minutes. Signed anew:
          <CopyButton
            what="the svc sign command"
            label="svc sign"
            text={toSignedCurlCommand(delivery, request)}
          />
        </Form>
      ),
    },
    {
      name: 'svc',
      title: 'svc',
      render: () =>
        listCommands(delivery).map(({ does, command }) => (
          <Form key={command} what={`the command: ${does}`} text={command}>
            {does}
          </Form>
        )),
    },
    {
      name: 'http',
      title: 'Raw HTTP',
      render: () => (
        <Form what="the raw request" text={toRawRequest(request)}>
          As it went over the wire.
        </Form>
      ),
    },
    {
      name: 'vitest',
      title: 'Vitest',
      render: () => (
        <Form what="the test" text={toVitestTest(delivery, request)}>
          A test of its own, with an emulator and a receiver:{' '}
          <code>npm install --save-dev svc-emulator vitest</code>
        </Form>
      ),
    },
  ];
  return (
    <Dialog title={`Attempt ${number} as…`} onClose={onClose}>
      <Tabs label="Forms" tabs={tabs} open={open} onOpen={setOpen} />
    </Dialog>
  );
}

interface FormProps {
  readonly what: string;
  readonly text: string;
  readonly children: ComponentChildren;
}

function Form({ what, text, children }: FormProps) {
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
