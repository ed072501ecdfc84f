// /console/applications/:client_id, and below it edit and logo: what an application is, and changing it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { encodePicture } from '../../accounts/pictures.ts';
import { changeApplication, changeLogo } from '../../applications/changes.ts';
import { formOf, queryOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { UPLOAD } from '../../http/route-config.ts';
import { leadsToKnownHost } from '../../oauth/callback-difference.ts';
import { notFound } from '../../oauth/errors.ts';
import { redirectUriFault } from '../../oauth/redirect-uri.ts';
import { countPeople, type OwnApplication } from '../../store/applications.ts';
import { findOwnOffer } from '../../store/transfer-offers.ts';
import { doneOf, type Fault, inWords } from '../../web/faults.ts';
import { copyScriptPath } from '../../web/html/asset-paths.ts';
import { isRecent, memberOf } from '../../web/member.ts';
import { noticeToMember } from '../../web/member-notices.ts';
import { sendPage } from '../../web/page.ts';
import { fileOf } from '../../web/uploads.ts';
import { detailView } from './detail-view.ts';
import { confirmationFaults, ownApplication, ownerOf } from './own.ts';
import { APPLICATIONS, applicationAddress } from './parts-view.ts';
import { logoView, type SettingsForm, settingsView } from './settings-view.ts';
import { linesOf, readSettings, secondsOf, settingsFaults } from './typed.ts';

const ONE = `${APPLICATIONS}/:client_id`;

export function applicationPages(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;

  area.get(ONE, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const { clientId } = application;
    const people = await countPeople(database, clientId);
    const offer = await findOwnOffer(database, memberOf(request).userId, clientId, parts.now());
    return sendPage(request, reply, parts, {
      title: () => application.name,
      account: memberOf(request),
      wide: true,
      scripts: [copyScriptPath],
      main: (messages) =>
        detailView({
          messages,
          application,
          people,
          offeredTo: offer?.email,
          notice: doneOf(request, messages.applications.detail.done),
        }),
    });
  });

  area.get(`${ONE}/edit`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const added = refusedCallback(request, application);
    const fields = settingsOf(application);
    if (added !== undefined) fields.redirectUris += `\n${added}`;
    return showSettings(request, reply, application, fields, [], added !== undefined);
  });

  area.post(`${ONE}/edit`, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const fields: SettingsForm = { ...readSettings(formOf(request)), type: application.type };
    const redirectUris = linesOf(fields.redirectUris);
    const faults = settingsFaults(fields, config.production);
    // Where people are sent with a code is decided by nobody but the owner in person.
    const moved = redirectUris.join('\n') !== application.redirectUris.join('\n');
    if (faults.length === 0 && moved) faults.push(...(await confirmationFaults(request, parts)));
    if (faults.length > 0) return showSettings(request, reply, application, fields, faults);
    const { clientId } = application;
    const settings = {
      ...fields,
      redirectUris,
      refreshGrace: secondsOf(fields.refreshGrace),
      homePage: fields.homePage || null,
      privacyPolicy: fields.privacyPolicy || null,
      termsOfService: fields.termsOfService || null,
    };
    const owner = ownerOf(request);
    const changed = await database.transaction((transaction) =>
      changeApplication(transaction, owner, clientId, settings, parts.now()),
    );
    if (!changed) throw notFound();
    if (moved) await noticeToMember(request, reply, parts, 'application_changed', application.name);
    return reply.redirect(`${applicationAddress(clientId)}?done=changed`, 303);
  });

  area.get(`${ONE}/logo`, async (request, reply) =>
    showLogo(request, reply, await ownApplication(request, parts), []),
  );

  area.post(`${ONE}/logo`, { config: UPLOAD }, async (request, reply) => {
    const application = await ownApplication(request, parts);
    const remove = formOf(request).get('remove') === 'yes';
    const file = remove ? undefined : fileOf(request, 'logo');
    const picture = file && (await encodePicture(file));
    if (!remove && picture === undefined) {
      const fault = file === undefined ? 'fileMissing' : 'fileUnreadable';
      return showLogo(request, reply, application, [
        { field: 'logo', text: ({ applications }) => applications.problems[fault] },
      ]);
    }
    const { clientId } = application;
    const owner = ownerOf(request);
    const changed = await database.transaction((transaction) =>
      changeLogo(transaction, owner, clientId, picture, parts.now()),
    );
    if (!changed) throw notFound();
    return reply.redirect(`${applicationAddress(clientId)}?done=${remove ? 'logo-removed' : 'logo'}`, 303);
  });

  /** A callback URL that was refused, offered for adding: only on a host of the application, since anyone can plant one. */
  function refusedCallback(request: FastifyRequest, application: OwnApplication): string | undefined {
    const uri = queryOf(request).get('add');
    const { redirectUris, type } = application;
    if (uri === undefined || redirectUris.includes(uri)) return undefined;
    if (redirectUriFault(uri, type, config.production) !== undefined) return undefined;
    return leadsToKnownHost(uri, redirectUris) ? uri : undefined;
  }

  function showSettings(
    request: FastifyRequest,
    reply: FastifyReply,
    application: OwnApplication,
    fields: SettingsForm,
    faults: Fault[],
    added = false,
  ): FastifyReply {
    const member = memberOf(request);
    return sendPage(request, reply, parts, {
      status: faults.length > 0 ? 400 : 200,
      title: (messages) => messages.applications.edit.title(application.name),
      account: member,
      wide: true,
      hasErrors: faults.length > 0,
      main: (messages) =>
        settingsView({
          messages,
          csrf: member.csrf,
          application,
          fields,
          recent: isRecent(member, parts.now()),
          notice: added ? messages.applications.edit.added : undefined,
          errors: inWords(faults, messages),
        }),
    });
  }

  function showLogo(
    request: FastifyRequest,
    reply: FastifyReply,
    application: OwnApplication,
    faults: Fault[],
  ): FastifyReply {
    const member = memberOf(request);
    return sendPage(request, reply, parts, {
      status: faults.length > 0 ? 400 : 200,
      title: (messages) => messages.applications.logo.title(application.name),
      account: member,
      wide: true,
      hasErrors: faults.length > 0,
      main: (messages) =>
        logoView({ messages, csrf: member.csrf, application, errors: inWords(faults, messages) }),
    });
  }
}

/** An application's settings as its form shows them. */
const settingsOf = (application: OwnApplication): SettingsForm => ({
  ...application,
  redirectUris: application.redirectUris.join('\n'),
  refreshGrace: String(application.refreshGrace),
  homePage: application.homePage ?? '',
  privacyPolicy: application.privacyPolicy ?? '',
  termsOfService: application.termsOfService ?? '',
});
