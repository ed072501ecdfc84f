// List of rows with an icon or logo, text, and actions or a time at the end.
import { type Html, html } from './html.ts';
import { type IconName, icon } from './icons.ts';

export interface Entry {
  picture: Html;
  title: Html;
  text?: Html | false | undefined;
  end?: Html | false | undefined;
}

export const entryList = (
  entries: readonly Entry[],
  id?: string,
): Html => html`<ul class="entries"${id && html` id="${id}"`}>
${entries.map(
  ({ picture, title, text, end }) => html`<li class="entry">
${picture}
<div class="entry-text">
${title}
${text}
</div>
${end && html`<div class="entry-end">${end}</div>`}
</li>
`,
)}</ul>`;

/** @param isAlert whether the row may need the user's attention. The row's text must also say so. */
export const entryIcon = (name: IconName, isAlert = false): Html =>
  html`<span class="${isAlert ? 'entry-icon entry-icon--alert' : 'entry-icon'}">${icon(name)}</span>`;
