// /console/applications/:client_id/secrets: the secrets that live, making the next one, ending one.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { endSecret, OVERLAPS, rotateSecret, secretOfForm } from '../../applications/secrets.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import type { OwnApplication } from '../../store/applications.ts';
import { listOwnSecrets, type OwnSecret } from '../../store/own-secrets.ts';
import { memberOf } from '../../web/member.ts';
import { newFormValue, oneUseForm } from '../../web/one-use-form.ts';
import { confidentialApplication, leadToSecret, ownerOf, secretNumberOf, secretToShow } from './own.ts';
import { APPLICATIONS, applicationAddress } from './parts-view.ts';
import { endSecretView, secretsView } from './secrets-view.ts';

const SECRETS = `${APPLICATIONS}/:client_id/secrets`;

export function secretPages(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.formPage({
    url: SECRETS,
    about: (request) => confidentialApplication(request, parts),
    read: (form) => ({ overlap: form.get('overlap') ?? '' }),
    begin: () => ({ overlap: '86400' }),
    faults: ({ fields: { overlap } }) =>
      (OVERLAPS as readonly string[]).includes(overlap)
        ? []
        : [{ field: 'overlap', text: ({ applications }) => applications.problems.overlapInvalid }],
    proof: true,
    answersAgain: true, // until its secret is said to be copied
    async act({ request, reply, about: { clientId, name }, fields }) {
      const [owner, form] = [ownerOf(request), oneUseForm(request, parts)];
      const overlap = Number(fields.overlap);
      const secretForm = { ...form, clientSecret: secretOfForm(parts.sealer, owner, clientId, form.value) };
      const rotated = await rotateSecret(database, owner, clientId, overlap, secretForm, parts.now());
      if (rotated === undefined) throw notFound();
      // Sent again, it makes nothing more, and leads to what it made.
      const { outcome, number } = rotated;
      if (number === undefined) return applicationAddress(clientId, 'secrets');
      const to = leadToSecret(reply, clientId, number, form);
      return { to, notice: outcome === 'rotated' ? 'secret_created' : undefined, subject: name };
    },
    done: (messages) => messages.applications.secrets.done,
    page: async ({ request, about: application, fields: { overlap } }) => {
      const secrets = await liveSecrets(request, application);
      const shown: number[] = [];
      for (const { number } of secrets)
        if (await secretToShow(request, parts, application.clientId, number)) shown.push(number);
      return {
        title: (messages) => messages.applications.secrets.title(application.name),
        main: (form) =>
          secretsView({ ...form, formValue: newFormValue(), application, secrets, shown, overlap }),
      };
    },
  });

  area.formPage({
    url: `${SECRETS}/:number/end`,
    about: (request) => confidentialApplication(request, parts),
    read: () => ({}),
    proof: true,
    async act({ request, about: { clientId, name } }) {
      const ended = await endSecret(
        database,
        ownerOf(request),
        clientId,
        secretNumberOf(request),
        parts.now(),
      );
      const to = `${applicationAddress(clientId, 'secrets')}?done=ended`;
      return { to, notice: ended ? 'secret_ended' : undefined, subject: name };
    },
    page: async ({ request, about: application }) => {
      const number = secretNumberOf(request);
      const live = await liveSecrets(request, application);
      const secret = live.find((one) => one.number === number);
      // Ended meanwhile, or there never was one of this number.
      if (secret === undefined) throw notFound();
      const others = live.filter((one) => one !== secret);
      return {
        title: (messages) => messages.applications.secrets.endTitle(number),
        main: (form) => endSecretView({ ...form, application, secret, others }),
      };
    },
  });

  const liveSecrets = (request: FastifyRequest, { clientId }: OwnApplication): Promise<OwnSecret[]> =>
    listOwnSecrets(database, memberOf(request).userId, clientId, parts.now());
}
