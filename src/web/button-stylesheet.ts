// The sign-in button's stylesheet, which developers copy.
import { readFileSync } from 'node:fs';

export const buttonStylesheet = readFileSync(new URL('../public/button.css', import.meta.url), 'utf8');
