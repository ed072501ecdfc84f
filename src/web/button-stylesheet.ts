// The stylesheet of the button, shown to be copied as it is served.
import { readFileSync } from 'node:fs';

export const buttonStylesheet = readFileSync(new URL('../public/button.css', import.meta.url), 'utf8');
