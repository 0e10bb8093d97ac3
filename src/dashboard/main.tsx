import './styles/elements.css';
import './styles/frame.css';
import './styles/parts.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { escapeTextNodes } from './escape-text.ts';
import { openLiveStream } from './live-stream.ts';
import { startSession } from './session.ts';
import { applySettings } from './settings.ts';

const container = document.getElementById('app');
if (container === null) throw new Error('index.html has no element with the id "app".');
applySettings();
escapeTextNodes();
render(<App />, container);
startSession();
openLiveStream();
