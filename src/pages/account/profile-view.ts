// Owns the look of the profile: name, telephone, language, and the picture on a page of its own.

import type { Messages } from '../../i18n/index.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import { problemsTitle } from '../../web/html/entrance.ts';
import {
  buttonLink,
  choiceField,
  errorSummary,
  type FormError,
  fileField,
  form,
  notice,
  submitButton,
  textField,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export type ProfileView = {
  messages: Messages;
  csrf: string;
  avatar: string;
  name: string;
  phone: string;
  language: 'auto' | 'fr' | 'en';
  errors: readonly FormError[];
  notice?: string | undefined;
};

export function profileView(view: ProfileView): Html {
  const { messages, errors, language } = view;
  const text = messages.account.profile;
  const names = { auto: text.languageAuto, ...messages.layout.languageNames };
  return accountFrame(
    messages,
    'profile',
    html`${errorSummary({ title: problemsTitle(messages, errors.length), errors })}${notice(view.notice)}
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
  optional: true,
  errors,
})}
${choiceField({
  name: 'language',
  kind: 'radio',
  legend: text.language,
  hint: text.languageHint,
  choices: (['auto', 'fr', 'en'] as const).map((value) => ({
    value,
    label: names[value],
    checked: value === language,
  })),
})}
${submitButton({ text: text.save })}`,
})}`,
  );
}

export type PictureView = {
  messages: Messages;
  csrf: string;
  avatar: string;
  /** Whether the picture is the person's own. */
  own: boolean;
  errors: readonly FormError[];
  notice?: string | undefined;
};

export function pictureView(view: PictureView): Html {
  const { messages, csrf, errors, own } = view;
  const text = messages.account.picture;
  return accountFrame(
    messages,
    'profile',
    html`${errorSummary({ title: problemsTitle(messages, errors.length), errors })}${notice(view.notice)}
<h1>${text.title}</h1>
<div class="picture">
<img class="avatar" src="${view.avatar}" alt="" width="128" height="128">
<p>${own ? text.ownText : text.initialsText}</p>
</div>
${form({
  action: '/account/picture',
  csrf,
  upload: true,
  body: html`${fileField({
    name: 'picture',
    label: text.file,
    hint: text.fileHint,
    accept: 'image/jpeg,image/png,image/webp',
    errors,
  })}
${submitButton({ text: text.upload })}`,
})}
${own && form({ action: '/account/picture/remove', csrf, body: submitButton({ text: text.remove, kind: 'secondary' }) })}`,
  );
}
