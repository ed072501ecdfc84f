// /console/applications: a person's applications, and registering one.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cleanName } from '../../accounts/account-fields.ts';
import { registerOwnApplication } from '../../applications/registration.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { listOwnApplications } from '../../store/applications.ts';
import { listReceivedOffers } from '../../store/transfer-offers.ts';
import { doneOf, type Fault, inWords } from '../../web/faults.ts';
import { copyScriptPath } from '../../web/html/asset-paths.ts';
import { memberArea, memberOf } from '../../web/member.ts';
import { noticeToMember } from '../../web/member-notices.ts';
import { newFormValue, oneUseForm } from '../../web/one-use-form.ts';
import { sendPage } from '../../web/page.ts';
import { acceptancePages } from './acceptance.ts';
import { applicationPages } from './application.ts';
import { deletionPage } from './deletion.ts';
import type { RegistrationForm } from './fields-view.ts';
import { listView } from './list-view.ts';
import { askToVerify, mustVerify, ownerOf } from './own.ts';
import { APPLICATIONS, applicationAddress } from './parts-view.ts';
import { protocolPages } from './protocol.ts';
import { registerView, secretView } from './register-view.ts';
import { releasePage } from './release.ts';
import { secretPages } from './secrets.ts';
import { transferPages } from './transfer.ts';
import { linesOf, readRegistration, registrationFaults } from './typed.ts';

/** What a new application's form begins with (D35). */
const BLANK: RegistrationForm = {
  name: '',
  redirectUris: '',
  postLogoutRedirectUris: '',
  scopes: ['openid', 'profile', 'email'],
  type: 'confidential',
  standard: false,
};

const OTHER_METHODS = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function consolePages(app: FastifyInstance, parts: Parts): void {
  const { config, database, sealer } = parts;

  memberArea(app, parts, (area) => {
    area.get('/console', async (_request, reply) => reply.redirect(APPLICATIONS, 303));
    area.get(APPLICATIONS, list);
    area.get(`${APPLICATIONS}/new`, async (request, reply) => {
      if (mustVerify(request, parts)) return askToVerify(request, reply, parts, 200);
      return show(request, reply, BLANK, []);
    });
    // The form posts to its own page, so that its faults are shown there; the list's address does the same.
    area.post(`${APPLICATIONS}/new`, register);
    area.post(APPLICATIONS, register);
    applicationPages(area, parts);
    protocolPages(area, parts);
    secretPages(area, parts);
    deletionPage(area, parts);
    releasePage(area, parts);
    transferPages(area, parts);
    acceptancePages(area, parts);
  });
  // A method that no page takes: to say that it is the wrong one would tell whose application is there.
  app.route({
    method: OTHER_METHODS,
    url: `${APPLICATIONS}/*`,
    config: { caller: 'nobody' },
    handler: () => {
      throw notFound();
    },
  });

  async function list(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const member = memberOf(request);
    const applications = await listOwnApplications(database, member.userId);
    const offers = await listReceivedOffers(database, member.userId, parts.now());
    return sendPage(request, reply, parts, {
      title: (messages) => messages.applications.list.title,
      account: member,
      wide: true,
      main: (messages) =>
        listView({
          messages,
          csrf: member.csrf,
          serviceName: config.serviceName,
          applications,
          offers,
          limit: config.applicationsPerAccount,
          notice: doneOf(request, {
            deleted: messages.applications.remove.done,
            declined: messages.applications.transfer.declined,
            gone: messages.applications.transfer.gone,
          }),
        }),
    });
  }

  async function register(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (mustVerify(request, parts)) return askToVerify(request, reply, parts, 403);
    const form = oneUseForm(request, parts);
    const fields = readRegistration(formOf(request));
    const faults = registrationFaults(fields, config.production);
    if (fields.type === undefined || faults.length > 0) return show(request, reply, fields, faults);
    const limit = config.applicationsPerAccount;
    const registered = await registerOwnApplication(
      { database, sealer },
      ownerOf(request),
      {
        ...fields,
        type: fields.type,
        redirectUris: linesOf(fields.redirectUris),
        postLogoutRedirectUris: linesOf(fields.postLogoutRedirectUris),
        refreshGrace: 0,
      },
      form,
      limit,
      parts.now(),
    );
    if (registered.outcome === 'tooMany')
      return show(request, reply, fields, [{ text: ({ applications }) => applications.list.full(limit) }]);
    const { clientId } = registered;
    if (registered.outcome === 'usedBefore') return reply.redirect(applicationAddress(clientId), 303);
    const { clientSecret } = registered;
    const name = cleanName(fields.name);
    if (clientSecret !== undefined) await noticeToMember(request, reply, parts, 'secret_created', name);
    // Nothing else ever shows the secret, so the answer to the form does (contract §1.3).
    return sendPage(request, reply, parts, {
      title: ({ applications }) => applications.created.title(name),
      account: memberOf(request),
      wide: true,
      scripts: [copyScriptPath],
      main: (messages) =>
        secretView({
          messages,
          title: messages.applications.created.title(name),
          application: { clientId, name },
          clientSecret,
        }),
    });
  }

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    fields: RegistrationForm,
    faults: Fault[],
  ): FastifyReply {
    const { csrf } = memberOf(request);
    return sendPage(request, reply, parts, {
      status: faults.length > 0 ? 400 : 200,
      title: (messages) => messages.applications.create.title,
      account: memberOf(request),
      wide: true,
      hasErrors: faults.length > 0,
      main: (messages) =>
        registerView({
          messages,
          csrf,
          formValue: newFormValue(),
          fields,
          errors: inWords(faults, messages),
        }),
    });
  }
}
