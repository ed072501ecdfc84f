// Notices about an action's result or about something that needs attention.
import { type Html, html } from './html.ts';

export function notice(text: Html | string | undefined): Html | undefined {
  return text === undefined
    ? undefined
    : html`<p class="notice notice--done" role="status">${tickIcon}<span>${text}</span></p>`;
}

export function attentionNotice(text: Html | string | undefined): Html | undefined {
  return text === undefined
    ? undefined
    : html`<p class="notice notice--attention" role="status">${attentionIcon}<span>${text}</span></p>`;
}

export const actionNotice = (text: Html, action: Html): Html =>
  html`<div class="notice notice--attention" role="status">${attentionIcon}<div>
<p>${text}</p>
${action}
</div></div>`;

export const scriptRequiredNotice = (text: string): Html =>
  html`<noscript>${attentionNotice(text)}</noscript>`;

export const tickIcon = html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="m4 10.5 4 4 8-9"/></svg>`;
export const attentionIcon = html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="M10 3.5v8M10 16.25v.25"/></svg>`;
