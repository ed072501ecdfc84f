// Owns the list of what is worth doing, at the head of an overview: a line each with the way to it, or that there is nothing.

import { mark, tick } from './form.ts';
import { type Html, html } from './html.ts';

export interface Task {
  text: Html | string;
  /** Where it is done; absent where it can only be known. */
  way?: { href: string; text: string; unseen?: string | undefined };
  pressing?: boolean;
}

export const worthDoing = (
  { title, nothing }: { title: string; nothing: string },
  tasks: readonly Task[],
): Html =>
  tasks.length === 0
    ? html`<p class="worth worth--nothing">${tick}${nothing}</p>`
    : html`<section class="worth" aria-labelledby="worth">
<h2 id="worth">${title}</h2>
<ul>
${tasks.map(
  ({ text, way, pressing }) => html`<li class="task">
<p>${pressing && mark}<span>${text}</span></p>
${way && html`<a class="reachable" href="${way.href}">${way.text}${way.unseen && html`<span class="unseen"> ${way.unseen}</span>`}</a>`}
</li>
`,
)}</ul>
</section>`;
