// GET /button: the sign-in button for developers of client applications; open to everybody.
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../http/parts.ts';
import { sessionOf } from '../../web/browser.ts';
import { buttonStylesheet } from '../../web/button-stylesheet.ts';
import { buttonStylesheetPath } from '../../web/html/asset-paths.ts';
import { buttonView } from './button-view.ts';

export function buttonPage(app: FastifyInstance, parts: Parts): void {
  const { baseUrl, serviceName } = parts.config;

  app.get('/button', async (request, reply) =>
    reply.page({
      title: (messages) => messages.integrate.button.title,
      account: await sessionOf(request, parts),
      wide: true,
      stylesheets: [buttonStylesheetPath],
      main: (messages) => buttonView({ messages, baseUrl, serviceName, stylesheet: buttonStylesheet }),
    }),
  );
}
