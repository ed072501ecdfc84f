// The sign-in button's stylesheet, which pages show for developers to copy.
import { readFileSync } from 'node:fs';

export const buttonStylesheet = readFileSync(new URL('../public/button.css', import.meta.url), 'utf8');
