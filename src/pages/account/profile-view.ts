// Owns the look of the profile: name, telephone and language.

import { LOCALES, type Locale } from '../../i18n/index.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import {
  buttonLink,
  choiceField,
  type FormState,
  form,
  formStatus,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

/** The fields as they were typed, or as they stand. */
export type ProfileForm = { name: string; phone: string; language: 'auto' | Locale };

export type ProfileView = FormState & ProfileForm & { avatar: string };

export function profileView(view: ProfileView): Html {
  const { messages, errors, language } = view;
  const text = messages.account.profile;
  const names = { auto: text.languageAuto, ...messages.layout.languageNames };
  return accountFrame(
    messages,
    'profile',
    html`${formStatus(view)}
<h1>${text.title}</h1>
<p class="lead">${text.lead}</p>
<div class="picture">
<img class="avatar" src="${view.avatar}" alt="" width="72" height="72">
${buttonLink({ text: text.changePicture, href: '/account/picture', kind: 'secondary' })}
</div>
${form({
  action: '/account/profile',
  csrf: view.csrf,
  body: html`${textField({
    name: 'name',
    label: messages.fields.name,
    hint: messages.fields.nameHint,
    value: view.name,
    autocomplete: 'name',
    errors,
  })}
${textField({
  name: 'phone',
  label: text.phone,
  hint: text.phoneHint,
  type: 'tel',
  value: view.phone,
  autocomplete: 'tel',
  inputmode: 'tel',
  optional: messages.fields.optional,
  errors,
})}
${choiceField({
  name: 'language',
  kind: 'radio',
  legend: text.language,
  hint: text.languageHint,
  choices: (['auto', ...LOCALES] as const).map((value) => ({
    value,
    label: names[value],
    checked: value === language,
  })),
})}
${submitButton({ text: text.save })}`,
})}`,
  );
}
