import { render } from 'preact';
import { App } from './app.tsx';
import { followLive } from './live.ts';
import { openSession } from './session.ts';

const place = document.getElementById('app');
if (place === null) throw new Error('The page has no place for the dashboard.');
render(<App />, place);
openSession();
followLive();
