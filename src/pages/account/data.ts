// /account/data: taking all data of an account away.
import type { FastifyInstance } from 'fastify';
import { openExports } from '../../accounts/exports.ts';
import { mayExport } from '../../accounts/limits.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { findSession } from '../../store/sessions.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import {
  buttonLink,
  confirmationField,
  type FormState,
  form,
  formStatus,
  submitButton,
} from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { memberOf } from '../../web/member.ts';

export function dataPage(area: FastifyInstance, parts: Parts): void {
  const { config, database } = parts;
  const startExport = openExports();

  area.formPage({
    url: '/account/data',
    about: memberOf,
    read: () => ({}),
    proof: true,
    // Not a GET: no link can put somebody's data on a disk.
    async act({ request, reply, about: session }) {
      const now = parts.now();
      const { userId } = session;
      if (!(await mayExport(parts, userId, now)))
        return { status: 429, faults: [{ text: (messages) => messages.account.data.tooMany }] };
      // Ending the session ends the export, too.
      const mayContinue = async () => (await findSession(database, session, parts.now())) !== undefined;
      const what = { userId, address: addressOf(request), issuer: config.baseUrl, mayContinue };
      const data = await startExport(database, what, now);
      const name = `account-${now.toISOString().slice(0, 10)}.json`;
      const to = () =>
        reply
          .header('content-disposition', `attachment; filename="${name}"`)
          .header('x-content-type-options', 'nosniff')
          .type('application/json; charset=utf-8')
          .send(data);
      return { to, notice: 'data_exported' };
    },
    page: () => ({ title: (messages) => messages.account.parts.data, main: dataView }),
  });
}

function dataView(view: FormState): Html {
  const { messages } = view;
  const text = messages.account.data;
  return accountFrame(
    messages,
    'data',
    html`${formStatus(view)}
<h1>${messages.account.parts.data}</h1>
<h2>${text.exportTitle}</h2>
<p>${text.exportText}</p>
${form({
  action: '/account/data',
  csrf: view.csrf,
  body: html`${confirmationField(view)}${submitButton({ text: text.export, kind: 'secondary' })}`,
})}
<h2>${text.deleteTitle}</h2>
<p>${text.deleteText}</p>
<p>${buttonLink({ text: text.delete, href: '/account/delete', kind: 'danger' })}</p>`,
  );
}
