// Owns the look of an API's fields, the same where it is registered and where it is changed.

import type { Messages } from '../../../i18n/index.ts';
import { ADMISSIONS } from '../../../oauth/api.ts';
import { choiceField, type FormError, textField } from '../../../web/html/form.ts';
import { type Html, html } from '../../../web/html/html.ts';
import { type ApiForm, LIFETIMES } from './typed.ts';

type Fields = { messages: Messages; fields: ApiForm; errors: readonly FormError[] };

export function nameField({ messages, fields, errors }: Fields, autofocus = false): Html {
  const { name: label, nameHint: hint } = messages.apis.form;
  return textField({ name: 'name', label, hint, value: fields.name, autofocus, errors });
}

/** What it is, in both languages. */
export function wordsFields({ messages, fields, errors }: Fields): Html {
  const text = messages.apis.form;
  return html`${textField({
    name: 'words_fr',
    label: text.wordsFr,
    hint: `${text.wordsHint} ${text.wordsExample}`,
    value: fields.wordsFr,
    errors,
  })}
${textField({
  name: 'words_en',
  label: text.wordsEn,
  hint: `${text.wordsHint} ${text.wordsExampleEn}`,
  value: fields.wordsEn,
  errors,
})}`;
}

export function admitsField({ messages, fields, errors }: Fields): Html {
  return choiceField({
    name: 'admits',
    kind: 'radio',
    legend: messages.apis.form.admits,
    choices: ADMISSIONS.map((value) => ({
      value,
      ...messages.apis.admitsChoices[value],
      checked: fields.admits === value,
    })),
    errors,
  });
}

export function lifetimeField({ messages, fields, errors }: Fields): Html {
  const text = messages.apis.form;
  return html`${choiceField({
    name: 'lifetime',
    kind: 'radio',
    legend: text.lifetime,
    hint: text.lifetimeHint,
    choices: ([...LIFETIMES, 'other'] as const).map((value) => ({
      value,
      label: text.lifetimes[value],
      checked: fields.lifetime === value,
    })),
  })}
${textField({
  name: 'token_lifetime',
  label: text.seconds,
  hint: text.secondsHint,
  value: fields.seconds,
  inputmode: 'numeric',
  optional: true,
  errors,
})}`;
}
