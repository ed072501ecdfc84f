// /console/applications/:client_id/secrets: the secrets that live, making the next one, ending one.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { endSecret, rotateOwnSecret } from '../../applications/secrets.ts';
import { formOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { listOwnSecrets, type OwnApplication } from '../../store/applications.ts';
import { doneOf, type Fault, inWords } from '../../web/faults.ts';
import { copyScriptPath } from '../../web/html/asset-paths.ts';
import { isRecent, memberOf } from '../../web/member.ts';
import { noticeToMember } from '../../web/member-notices.ts';
import { newFormValue, oneUseForm } from '../../web/one-use-form.ts';
import { sendPage } from '../../web/page.ts';
import { confirmationFaults, ownApplication, ownerOf } from './own.ts';
import { APPLICATIONS, applicationAddress } from './parts-view.ts';
import { secretView } from './register-view.ts';
import { endSecretView, OVERLAPS, secretsView } from './secrets-view.ts';

const SECRETS = `${APPLICATIONS}/:client_id/secrets`;

export function secretPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.get(SECRETS, async (request, reply) => show(request, reply, await confidential(request), '86400', []));

  area.post(SECRETS, async (request, reply) => {
    const application = await confidential(request);
    const form = oneUseForm(request, parts);
    const overlap = formOf(request).get('overlap') ?? '';
    const faults: Fault[] = (OVERLAPS as readonly string[]).includes(overlap)
      ? await confirmationFaults(request, parts)
      : [{ field: 'overlap', text: ({ applications }) => applications.problems.overlapInvalid }];
    if (faults.length > 0) return show(request, reply, application, overlap, faults);
    const { clientId } = application;
    const rotated = await rotateOwnSecret(
      database,
      ownerOf(request),
      clientId,
      Number(overlap),
      form,
      parts.now(),
    );
    if (rotated === undefined) throw notFound();
    // Sent again: what it made was shown once, and nothing more is made.
    if (rotated === 'usedBefore') return reply.redirect(applicationAddress(clientId, 'secrets'), 303);
    await noticeToMember(request, reply, parts, 'secret_created', application.name);
    return sendPage(request, reply, parts, {
      title: ({ applications }) => applications.created.rotatedTitle(application.name),
      account: memberOf(request),
      wide: true,
      scripts: [copyScriptPath],
      main: (messages) =>
        secretView({
          messages,
          title: messages.applications.created.rotatedTitle(application.name),
          application,
          clientSecret: rotated.clientSecret,
        }),
    });
  });

  area.get(`${SECRETS}/:number/end`, async (request, reply) =>
    showEnd(request, reply, await confidential(request), []),
  );

  area.post(`${SECRETS}/:number/end`, async (request, reply) => {
    const application = await confidential(request);
    const faults = await confirmationFaults(request, parts);
    if (faults.length > 0) return showEnd(request, reply, application, faults);
    const { clientId } = application;
    if (await endSecret(database, ownerOf(request), clientId, numberOf(request), parts.now()))
      await noticeToMember(request, reply, parts, 'secret_ended', application.name);
    return reply.redirect(`${applicationAddress(clientId, 'secrets')}?done=ended`, 303);
  });

  /** @throws OAuthError `not_found` for a public application too: it has no secrets */
  async function confidential(request: FastifyRequest): Promise<OwnApplication> {
    const application = await ownApplication(request, parts);
    if (application.type !== 'confidential') throw notFound();
    return application;
  }

  async function show(
    request: FastifyRequest,
    reply: FastifyReply,
    application: OwnApplication,
    overlap: string,
    faults: Fault[],
  ): Promise<FastifyReply> {
    const member = memberOf(request);
    const secrets = await listOwnSecrets(database, member.userId, application.clientId, parts.now());
    return sendPage(request, reply, parts, {
      status: faults.length > 0 ? 400 : 200,
      title: (messages) => messages.applications.secrets.title(application.name),
      account: member,
      wide: true,
      hasErrors: faults.length > 0,
      main: (messages) =>
        secretsView({
          messages,
          csrf: member.csrf,
          formValue: newFormValue(),
          application,
          secrets,
          overlap,
          recent: isRecent(member, parts.now()),
          notice: doneOf(request, messages.applications.secrets.done),
          errors: inWords(faults, messages),
        }),
    });
  }

  async function showEnd(
    request: FastifyRequest,
    reply: FastifyReply,
    application: OwnApplication,
    faults: Fault[],
  ): Promise<FastifyReply> {
    const member = memberOf(request);
    const number = numberOf(request);
    const live = await listOwnSecrets(database, member.userId, application.clientId, parts.now());
    // Ended meanwhile, or there never was one of this number.
    if (!live.some((secret) => secret.number === number)) throw notFound();
    return sendPage(request, reply, parts, {
      status: faults.length > 0 ? 400 : 200,
      title: (messages) => messages.applications.secrets.endTitle(number),
      account: member,
      wide: true,
      hasErrors: faults.length > 0,
      main: (messages) =>
        endSecretView({
          messages,
          csrf: member.csrf,
          application,
          number,
          isLast: live.length === 1,
          recent: isRecent(member, parts.now()),
          errors: inWords(faults, messages),
        }),
    });
  }
}

/** The number in the address. @throws OAuthError `not_found` */
function numberOf(request: FastifyRequest): number {
  const { number = '' } = request.params as { number?: string };
  if (!/^[1-9]\d{0,8}$/.test(number)) throw notFound();
  return Number(number);
}
