// Owns the look of letting an application or an API that is held serve again.

import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import type { Owned } from './parts-view.ts';

export type ReleaseView = FormState & {
  owned: Owned;
  /** Why it is held, what releasing it does, and the way to delete it instead. */
  words: { held: string; text: string; delete: string };
};

export function releaseView(view: ReleaseView): Html {
  const { messages, csrf, owned, words } = view;
  const { title, action } = messages.applications.release;
  return html`${owned.way(messages)}
${formStatus(view)}
<h1>${title(owned.name)}</h1>
<p class="warning">${words.held}</p>
<p>${words.text}</p>
${form({
  action: owned.address('release'),
  csrf,
  body: html`${confirmationField(view)}
<div class="actions">
${submitButton({ text: action })}
${buttonLink({ text: words.delete, href: owned.address('delete'), kind: 'danger' })}
</div>`,
})}`;
}
