import './styles.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { startPolling } from './control.ts';
import { escapeTextNodes } from './escape-text.ts';
import { startSession } from './session.ts';
import { applySettings } from './settings.ts';

const container = document.getElementById('app');
if (container === null) throw new Error('index.html has no element with the id "app".');
applySettings();
escapeTextNodes();
render(<App />, container);
startSession();
startPolling();
