// GET and POST /account/profile, /account/picture: what applications get to see of a person.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cleanName, NAME_MAX, nameFault } from '../../accounts/account-fields.ts';
import { readPhone } from '../../accounts/phone.ts';
import { encodePicture } from '../../accounts/pictures.ts';
import { keepPersonsPicture, keepProfile } from '../../accounts/profile.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { UPLOAD } from '../../http/route-config.ts';
import { rememberLanguage } from '../../web/browser.ts';
import { doneOf, type Fault, inWords } from '../../web/faults.ts';
import { avatarAddress } from '../../web/html/avatar-address.ts';
import { type Member, memberOf } from '../../web/member.ts';
import { sendPage } from '../../web/page.ts';
import { fileOf } from '../../web/uploads.ts';
import { pictureView, profileView } from './profile-view.ts';

type Fields = Pick<Parameters<typeof profileView>[0], 'name' | 'phone' | 'language'>;

export function profilePage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;
  const own = (request: FastifyRequest, { userId }: Member) => ({ userId, address: addressOf(request) });

  area.get('/account/profile', async (request, reply) => {
    const { name, phone, locale } = memberOf(request);
    return showProfile(request, reply, { name, phone: phone ?? '', language: locale ?? 'auto' }, []);
  });

  area.post('/account/profile', async (request, reply) => {
    const member = memberOf(request);
    const form = formOf(request);
    const sent = form.get('language');
    const fields: Fields = {
      name: cleanName(form.get('name') ?? ''),
      phone: form.get('phone')?.trim() ?? '',
      language: sent === 'fr' || sent === 'en' ? sent : 'auto',
    };
    const faults: Fault[] = [];
    const inName = nameFault(fields.name);
    if (inName !== undefined)
      faults.push({
        field: 'name',
        text: ({ problems }) =>
          inName === 'nameMissing' ? problems.nameRequired : problems.nameTooLong(NAME_MAX),
      });
    const phone =
      fields.phone === '' ? null : await readPhone(fields.phone, request.headers['accept-language']);
    if (phone === undefined)
      faults.push({ field: 'phone', text: (messages) => messages.account.profile.phoneInvalid });
    if (faults.length > 0 || phone === undefined) return showProfile(request, reply, fields, faults);

    const locale = fields.language === 'auto' ? null : fields.language;
    await keepProfile(database, own(request, member), { name: fields.name, phone, locale }, parts.now());
    // What was chosen last counts, also where this browser had been told otherwise before (D31).
    if (locale !== member.locale) rememberLanguage(reply, parts, locale);
    return reply.redirect('/account/profile?done=saved', 303);
  });

  area.get('/account/picture', async (request, reply) => showPicture(request, reply, undefined));

  area.post('/account/picture', { config: UPLOAD }, async (request, reply) => {
    const file = fileOf(request, 'picture');
    if (file === undefined) return showPicture(request, reply, 'missing');
    const content = await encodePicture(file);
    if (content === undefined) return showPicture(request, reply, 'unreadable');
    await keepPersonsPicture(database, own(request, memberOf(request)), content, parts.now());
    return reply.redirect('/account/picture?done=changed', 303);
  });

  area.post('/account/picture/remove', async (request, reply) => {
    await keepPersonsPicture(database, own(request, memberOf(request)), null, parts.now());
    return reply.redirect('/account/picture?done=removed', 303);
  });

  // Where the language links of an error page lead that answered a form.
  area.get('/account/picture/remove', async (_request, reply) => reply.redirect('/account/picture', 303));

  function showProfile(
    request: FastifyRequest,
    reply: FastifyReply,
    fields: Fields,
    faults: Fault[],
  ): FastifyReply {
    const member = memberOf(request);
    return sendPage(request, reply, parts, {
      status: faults.length > 0 ? 400 : 200,
      title: (messages) => messages.account.profile.title,
      account: member,
      wide: true,
      hasErrors: faults.length > 0,
      main: (messages) =>
        profileView({
          messages,
          csrf: member.csrf,
          avatar: avatarAddress('', member),
          ...fields,
          errors: inWords(faults, messages),
          notice: doneOf(request, { saved: messages.account.profile.saved }),
        }),
    });
  }

  function showPicture(
    request: FastifyRequest,
    reply: FastifyReply,
    fault: 'missing' | 'unreadable' | undefined,
  ): FastifyReply {
    const member = memberOf(request);
    return sendPage(request, reply, parts, {
      status: fault === undefined ? 200 : 400,
      title: (messages) => messages.account.picture.title,
      account: member,
      wide: true,
      hasErrors: fault !== undefined,
      main: (messages) => {
        const { changed, removed, ...text } = messages.account.picture;
        return pictureView({
          messages,
          csrf: member.csrf,
          avatar: avatarAddress('', member),
          own: member.pictureHash !== null,
          errors: fault === undefined ? [] : [{ field: 'picture', text: text[fault] }],
          notice: doneOf(request, { changed, removed }),
        });
      },
    });
  }
}
