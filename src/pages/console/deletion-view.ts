// Owns the look of deleting an application or an API.

import type { Messages } from '../../i18n/index.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import type { Owned } from './parts-view.ts';

export type DeletionView = FormState & {
  owned: Owned;
  words: Pick<Messages['apis']['remove'], 'title' | 'text' | 'name' | 'nameHint' | 'action' | 'cancel'>;
  typed: string;
};

export function deletionView(view: DeletionView): Html {
  const { messages, csrf, owned, words, typed, errors } = view;
  return html`${owned.way(messages)}
${formStatus(view)}
<h1>${words.title(owned.name)}</h1>
<p class="warning">${words.text}</p>
${form({
  action: owned.address('delete'),
  csrf,
  body: html`${textField({
    name: 'name',
    label: words.name,
    hint: words.nameHint(owned.name),
    value: typed,
    autocomplete: 'off',
    errors,
  })}
${confirmationField(view)}
<div class="actions">
${submitButton({ text: words.action, kind: 'danger' })}
${buttonLink({ text: words.cancel, href: owned.address(), kind: 'secondary' })}
</div>`,
})}`;
}
