// Owns the icons of notices; decoration only, the words stand beside them.
import { html } from './html.ts';

export const tick = html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="m4 10.5 4 4 8-9"/></svg>`;
export const mark = html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="M10 3.5v8M10 16.25v.25"/></svg>`;
