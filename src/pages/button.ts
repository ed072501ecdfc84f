// GET /button: the sign-in button for developers of client applications; open to everybody.
import type { FastifyInstance } from 'fastify';
import { buttonStylesheetPath, copyScriptPath } from '../html/asset-paths.ts';
import type { Parts } from '../parts.ts';
import { sessionOf } from '../plugins/browser.ts';
import { sendPage } from '../plugins/page.ts';
import { buttonStylesheet } from './snippets/button-stylesheet.ts';
import { buttonView } from './views/button.ts';

export function buttonPage(app: FastifyInstance, parts: Parts): void {
  const { baseUrl, serviceName } = parts.config;

  app.get('/button', async (request, reply) =>
    sendPage(request, reply, parts, {
      title: (messages) => messages.integrate.button.title,
      account: await sessionOf(request, parts),
      wide: true,
      stylesheets: [buttonStylesheetPath],
      scripts: [copyScriptPath],
      main: (messages) => buttonView({ messages, baseUrl, serviceName, stylesheet: buttonStylesheet }),
    }),
  );
}
