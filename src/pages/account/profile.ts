// /account/profile: name, telephone and language of a person.
import type { FastifyInstance } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { readPhone } from '../../accounts/phone.ts';
import { keepProfile } from '../../accounts/profile.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { isLocale, LOCALES, type Locale } from '../../i18n/index.ts';
import { typedPhone } from '../../i18n/phones.ts';
import { rememberLanguage } from '../../web/browser.ts';
import { nameFaults } from '../../web/credential-forms.ts';
import type { Fault } from '../../web/faults.ts';
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
import { avatarAddress } from '../../web/html/pictures.ts';
import { memberOf } from '../../web/member.ts';

export function profilePage(area: FastifyInstance, parts: Parts): void {
  area.formPage({
    url: '/account/profile',
    about: memberOf,
    begin: ({ name, phone, locale }): ProfileForm => ({
      name,
      phone: phone === null ? '' : typedPhone(phone),
      language: locale ?? 'auto',
    }),
    read(form): ProfileForm {
      const language = form.get('language');
      return {
        name: cleanName(form.get('name') ?? ''),
        phone: form.get('phone')?.trim() ?? '',
        language: isLocale(language) ? language : 'auto',
      };
    },
    faults({ request, fields: { name, phone } }) {
      const faults: Fault[] = nameFaults(name);
      if (phone !== '' && readPhone(phone, request.headers['accept-language']) === undefined)
        faults.push({ field: 'phone', text: (messages) => messages.account.profile.phoneInvalid });
      return faults;
    },
    async act({ request, reply, about: member, fields: { name, phone: typed, language } }) {
      const phone = typed === '' ? null : (readPhone(typed, request.headers['accept-language']) ?? null);
      const locale = language === 'auto' ? null : language;
      const own = { userId: member.userId, address: addressOf(request) };
      await keepProfile(parts.database, own, { name, phone, locale }, parts.now());
      // What was chosen last counts, also where this browser had been told otherwise before (D31).
      if (locale !== member.locale) rememberLanguage(reply, locale);
      return '/account/profile?done=saved';
    },
    done: ({ account }) => ({ saved: account.profile.saved }),
    page: ({ about: member, fields }) => ({
      title: (messages) => messages.account.profile.title,
      main: (form) => profileView({ ...form, ...fields, avatar: avatarAddress('', member) }),
    }),
  });
}

/** The fields as they were typed, or as they stand. */
type ProfileForm = { name: string; phone: string; language: 'auto' | Locale };

type ProfileView = FormState & ProfileForm & { avatar: string };

function profileView(view: ProfileView): Html {
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
