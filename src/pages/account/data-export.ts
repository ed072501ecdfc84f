// /account/data: exports all of an account's data as JSON.
import type { FastifyInstance } from 'fastify';
import { createExporter } from '../../accounts/data-export.ts';
import { mayExport } from '../../accounts/rate-limits.ts';
import { clientNetwork } from '../../http/rate-limit.ts';
import type { Services } from '../../http/services.ts';
import { findSession } from '../../store/sessions.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { buttonLink, submitButton } from '../../web/html/buttons.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { reauthenticationFields } from '../../web/html/reauthentication-fields.ts';
import { signedInUser } from '../../web/session-guard.ts';

export function dataExportPage(area: FastifyInstance, services: Services): void {
  const { config, database } = services;
  const startExport = createExporter();

  area.formPage({
    path: '/account/data',
    loadSubject: signedInUser,
    parse: () => ({}),
    requiresReauthentication: true,
    // Require POST so that a link can't start the download.
    async act({ request, reply, subject: session }) {
      const now = services.now();
      const { userId } = session;
      if (!(await mayExport(services, userId, now)))
        return { status: 429, errors: [{ text: (messages) => messages.account.data.tooMany }] };
      const mayContinue = async () => (await findSession(database, session, services.now())) !== undefined;
      const source = { userId, ip: clientNetwork(request), issuer: config.baseUrl, mayContinue };
      const data = await startExport(database, source, now);
      const name = `account-${now.toISOString().slice(0, 10)}.json`;
      const streamExport = () =>
        reply
          .header('content-disposition', `attachment; filename="${name}"`)
          .header('x-content-type-options', 'nosniff')
          .type('application/json; charset=utf-8')
          .send(data);
      return { to: streamExport, notice: 'data_exported' };
    },
    render: () => ({ title: (messages) => messages.account.navigation.data, main: dataExportView }),
  });
}

function dataExportView(view: FormState): Html {
  const { messages } = view;
  const text = messages.account.data;
  return accountLayout(
    messages,
    'data',
    html`${formStatus(view)}
<h1>${messages.account.navigation.data}</h1>
<h2>${text.exportTitle}</h2>
<p>${text.exportText}</p>
${form({
  action: '/account/data',
  csrf: view.csrf,
  download: true,
  body: html`${reauthenticationFields(view)}${submitButton({ text: text.export, kind: 'secondary' })}`,
})}
<h2>${text.deleteTitle}</h2>
<p>${text.deleteText}</p>
<p>${buttonLink({ text: text.delete, href: '/account/delete', kind: 'danger' })}</p>`,
  );
}
