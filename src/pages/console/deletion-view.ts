// The look of deleting an application or an API.

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
import { kindOf, type Thing, thingAddress, way } from './frame-view.ts';

export type DeletionView = FormState & {
  thing: Thing;
  /** How many people are signed in to an application. */
  people: number | undefined;
  typed: string;
};

export function deletionView(view: DeletionView): Html {
  const { messages, csrf, thing, people, typed, errors } = view;
  const text = messages.ownership.remove;
  const kind = kindOf(thing);
  return html`${way(messages, thing, { below: 'overview' })}
${formStatus(view)}
<h1>${text.title(thing.name)}</h1>
<p class="warning">${people !== undefined && html`${text.people(people)} `}${text.text[kind]}</p>
${form({
  action: thingAddress(thing, 'delete'),
  csrf,
  body: html`${textField({
    name: 'name',
    label: text.name[kind],
    hint: text.nameHint(thing.name),
    value: typed,
    autocomplete: 'off',
    errors,
  })}
${confirmationField(view)}
<div class="actions">
${submitButton({ text: text.action, kind: 'danger' })}
${buttonLink({ text: text.cancel[kind], href: thingAddress(thing), kind: 'secondary' })}
</div>`,
})}`;
}
