// Owns the look of the page about a person's picture.

import { accountFrame } from '../../web/html/account-frame.ts';
import { type FormState, fileField, form, formStatus, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';

export type PictureView = FormState & {
  avatar: string;
  /** Whether the picture is the person's own. */
  own: boolean;
};

export function pictureView(view: PictureView): Html {
  const { messages, csrf, errors, own } = view;
  const text = messages.account.picture;
  return accountFrame(
    messages,
    'profile',
    html`${formStatus(view)}
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
    { within: true },
  );
}
