// /console/applications/:client_id/secrets/:number: shows a new secret until somebody says to have copied it (ADR 11).
import type { FastifyInstance } from 'fastify';
import { markCopied } from '../../applications/secrets.ts';
import type { Parts } from '../../http/parts.ts';
import { notFound } from '../../oauth/errors.ts';
import { listOwnSecrets } from '../../store/own-secrets.ts';
import { copyScriptPath } from '../../web/html/asset-paths.ts';
import { memberOf } from '../../web/member.ts';
import { confidentialApplication, forgetShown, secretNumberOf, secretToShow } from './own.ts';
import { APPLICATIONS, applicationAddress } from './parts-view.ts';
import { secretTitle, secretView } from './secret-view.ts';

/** The secret that an application is registered with. */
const FIRST = 1;

export function secretPage(area: FastifyInstance, parts: Parts): void {
  const { database } = parts;

  area.formPage({
    url: `${APPLICATIONS}/:client_id/secrets/:number`,
    async about(request) {
      const application = await confidentialApplication(request, parts);
      const { clientId } = application;
      const number = secretNumberOf(request);
      const live = await listOwnSecrets(database, memberOf(request).userId, clientId, parts.now());
      const secret = live.find((one) => one.number === number);
      if (secret === undefined) throw notFound();
      const clientSecret = await secretToShow(request, parts, clientId, number);
      return { application, secret, clientSecret, others: live.filter((one) => one !== secret) };
    },
    read: () => ({}),
    async act({ reply, about: { application, secret, clientSecret } }) {
      const { clientId } = application;
      if (clientSecret !== undefined) await markCopied(database, clientId, clientSecret, parts.now());
      forgetShown(reply, clientId, secret.number);
      return secret.number === FIRST
        ? applicationAddress(clientId, 'integrate')
        : `${applicationAddress(clientId, 'secrets')}?done=copied`;
    },
    page: ({ about }) => ({
      title: (messages) => secretTitle(about, about.secret.number === FIRST, messages),
      scripts: [copyScriptPath],
      main: (form) =>
        secretView({
          ...form,
          ...about,
          isFirst: about.secret.number === FIRST,
          issuer: parts.config.baseUrl,
        }),
    }),
  });
}
