// /account/profile: edits the name, phone number and language.
import type { FastifyInstance } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { parsePhone } from '../../accounts/phone.ts';
import { saveProfile } from '../../accounts/profile.ts';
import { clientNetwork } from '../../http/rate-limit.ts';
import type { Services } from '../../http/services.ts';
import { isLocale, LOCALES, type Locale } from '../../i18n/index.ts';
import { formatEditablePhone } from '../../i18n/phones.ts';
import { saveLocale } from '../../web/browser.ts';
import { validateName } from '../../web/credential-forms.ts';
import type { ValidationError } from '../../web/form-errors.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { choiceField, textField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { avatarUrl } from '../../web/html/pictures.ts';
import { signedInUser } from '../../web/session-guard.ts';

export function profilePage(area: FastifyInstance, services: Services): void {
  area.formPage({
    path: '/account/profile',
    loadSubject: signedInUser,
    initialFields: ({ name, phone, locale }): ProfileForm => ({
      name,
      phone: phone === null ? '' : formatEditablePhone(phone),
      language: locale ?? 'auto',
    }),
    parse(form): ProfileForm {
      const language = form.get('language');
      return {
        name: cleanName(form.get('name') ?? ''),
        phone: form.get('phone')?.trim() ?? '',
        language: isLocale(language) ? language : 'auto',
      };
    },
    validate({ request, fields: { name, phone } }) {
      const errors: ValidationError[] = validateName(name);
      if (phone !== '' && parsePhone(phone, request.headers['accept-language']) === undefined)
        errors.push({ field: 'phone', text: (messages) => messages.account.profile.phoneInvalid });
      return errors;
    },
    async act({ request, reply, subject: member, fields: { name, phone: enteredPhone, language } }) {
      const phone =
        enteredPhone === '' ? null : (parsePhone(enteredPhone, request.headers['accept-language']) ?? null);
      const locale = language === 'auto' ? null : language;
      const actor = { userId: member.userId, ip: clientNetwork(request) };
      await saveProfile(services.database, actor, { name, phone, locale }, services.now());
      // Update this browser's language cookie.
      if (locale !== member.locale) saveLocale(reply, locale);
      return '/account/profile?done=saved';
    },
    doneMessages: ({ account }) => ({ saved: account.profile.saved }),
    render: ({ subject: member, fields }) => ({
      title: (messages) => messages.account.profile.title,
      main: (form) => profileView({ ...form, ...fields, avatar: avatarUrl('', member) }),
    }),
  });
}

type ProfileForm = { name: string; phone: string; language: 'auto' | Locale };

type ProfileView = FormState & ProfileForm & { avatar: string };

function profileView(view: ProfileView): Html {
  const { messages, errors, language } = view;
  const text = messages.account.profile;
  const names = { auto: text.languageAuto, ...messages.layout.languageNames };
  return accountLayout(
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
