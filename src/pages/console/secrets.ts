// /console/applications/:client_id/secrets: the secrets that live, making the next one, ending one.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { endSecret, OVERLAPS, rotateSecret } from '../../applications/secrets.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { listOwnSecrets, type OwnApplication, type OwnSecret } from '../../store/applications.ts';
import { memberOf } from '../../web/member.ts';
import { newFormValue, oneUseForm } from '../../web/one-use-form.ts';
import { ownApplication, ownerOf, showSecret } from './own.ts';
import { APPLICATIONS, applicationAddress } from './parts-view.ts';
import { endSecretView, secretsView } from './secrets-view.ts';

const SECRETS = `${APPLICATIONS}/:client_id/secrets`;

export function secretPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.formPage({
    url: SECRETS,
    about: confidential,
    read: (form) => ({ overlap: form.get('overlap') ?? '' }),
    begin: () => ({ overlap: '86400' }),
    faults: ({ fields: { overlap } }) =>
      (OVERLAPS as readonly string[]).includes(overlap)
        ? []
        : [{ field: 'overlap', text: ({ applications }) => applications.problems.overlapInvalid }],
    proof: true,
    async act({ request, reply, about: application, fields }) {
      const { clientId, name } = application;
      const [owner, form] = [ownerOf(request), oneUseForm(request, parts)];
      const overlap = Number(fields.overlap);
      const rotated = await rotateSecret(database, owner, clientId, overlap, form, parts.now());
      if (rotated === undefined) throw notFound();
      // Sent again: what it made was shown once, and nothing more is made.
      if (rotated === 'usedBefore') return applicationAddress(clientId, 'secrets');
      const { clientSecret } = rotated;
      const to = showSecret(reply, { application, clientSecret, title: 'rotatedTitle' });
      return { to, notice: 'secret_created', subject: name };
    },
    done: (messages) => messages.applications.secrets.done,
    page: async ({ request, about: application, fields: { overlap } }) => {
      const secrets = await liveSecrets(request, application);
      return {
        title: (messages) => messages.applications.secrets.title(application.name),
        main: (form) => secretsView({ ...form, formValue: newFormValue(), application, secrets, overlap }),
      };
    },
  });

  area.formPage({
    url: `${SECRETS}/:number/end`,
    about: confidential,
    read: () => ({}),
    proof: true,
    async act({ request, about: { clientId, name } }) {
      const ended = await endSecret(database, ownerOf(request), clientId, numberOf(request), parts.now());
      const to = `${applicationAddress(clientId, 'secrets')}?done=ended`;
      return { to, notice: ended ? 'secret_ended' : undefined, subject: name };
    },
    page: async ({ request, about: application }) => {
      const number = numberOf(request);
      const live = await liveSecrets(request, application);
      // Ended meanwhile, or there never was one of this number.
      if (!live.some((secret) => secret.number === number)) throw notFound();
      return {
        title: (messages) => messages.applications.secrets.endTitle(number),
        main: (form) => endSecretView({ ...form, application, number, isLast: live.length === 1 }),
      };
    },
  });

  /** @throws OAuthError `not_found` for a public application too: it has no secrets */
  async function confidential(request: FastifyRequest): Promise<OwnApplication> {
    const application = await ownApplication(request, parts);
    if (application.type !== 'confidential') throw notFound();
    return application;
  }

  const liveSecrets = (request: FastifyRequest, { clientId }: OwnApplication): Promise<OwnSecret[]> =>
    listOwnSecrets(database, memberOf(request).userId, clientId, parts.now());
}

/** The number in the address. @throws OAuthError `not_found` */
function numberOf(request: FastifyRequest): number {
  const { number = '' } = request.params as { number?: string };
  if (!/^[1-9]\d{0,8}$/.test(number)) throw notFound();
  return Number(number);
}
