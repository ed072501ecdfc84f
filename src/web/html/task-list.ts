// The task list on overview pages.

import { type Html, html } from './html.ts';
import { attentionIcon, tickIcon } from './notices.ts';

export interface Task {
  text: Html | string;
  link?: { href: string; text: string; hiddenText?: string | undefined };
  isUrgent?: boolean;
}

export const taskList = (title: string, tasks: readonly Task[], nothing?: string): Html | undefined =>
  tasks.length === 0
    ? nothing === undefined
      ? undefined
      : html`<p class="task-list task-list--empty">${tickIcon}${nothing}</p>`
    : html`<section class="task-list" aria-labelledby="tasks">
<h2 id="tasks">${title}</h2>
<ul>
${tasks.map(
  ({ text, link, isUrgent }) => html`<li class="task">
<p>${isUrgent && attentionIcon}<span>${text}</span></p>
${link && html`<a class="touch-target" href="${link.href}">${link.text}${link.hiddenText && html`<span class="visually-hidden"> ${link.hiddenText}</span>`}</a>`}
</li>
`,
)}</ul>
</section>`;
