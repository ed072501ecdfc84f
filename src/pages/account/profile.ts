// /account/profile: name, telephone and language of a person.
import type { FastifyInstance } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { readPhone } from '../../accounts/phone.ts';
import { keepProfile } from '../../accounts/profile.ts';
import { queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { isLocale } from '../../i18n/index.ts';
import { typedPhone } from '../../i18n/phones.ts';
import { nameFaults } from '../../web/asking.ts';
import { rememberLanguage } from '../../web/browser.ts';
import type { Fault } from '../../web/faults.ts';
import { avatarAddress } from '../../web/html/pictures.ts';
import { memberOf } from '../../web/member.ts';
import { signalOfChange } from '../../web/passkeys.ts';
import { type ProfileForm, profileView } from './profile-view.ts';

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
    page: async ({ request, about: member, fields }) => ({
      signal: queryOf(request).get('done') === 'saved' ? await signalOfChange(parts, member) : undefined,
      title: (messages) => messages.account.profile.title,
      main: (form) => profileView({ ...form, ...fields, avatar: avatarAddress('', member) }),
    }),
  });
}
