import { expect, test } from 'vitest';
import { render } from '../../src/web/html/html.ts';
import { logo } from '../../src/web/html/pictures.ts';
import { createSignedInAdmin } from '../support/admin.ts';
import { grantServiceAccess, obtainApiToken } from '../support/apis.ts';
import { apiPath, clientPath, submitForm } from '../support/console-forms.ts';
import { buildAuthorizeUrl, createSignedInUser } from '../support/oauth-flow.ts';
import { useTestService } from '../support/service.ts';
import { createPicture, upload } from '../support/upload.ts';

const service = useTestService();
const OPERATIONS_PATH = '/console/operations';

test('application names are always shown with a logo', async () => {
  const owner = await createSignedInUser(service);
  const [generated, uploaded] = await Promise.all(
    ['Carnet', 'Potager'].map((name) => service.createClient({ ownerId: owner.user.userId, name })),
  );
  if (!generated || !uploaded) throw new Error('no client');
  const logoPath = clientPath(uploaded.clientId, '/logo');
  const { hidden } = await owner.browser.get(logoPath);
  const file = { name: 'logo', content: await createPicture(), fileName: 'logo.png' };
  await upload(owner.browser, logoPath, { csrf: hidden.csrf ?? '' }, file);
  const hash = /\/pictures\/([\w-]+)/.exec((await owner.browser.get(logoPath)).body)?.[1] ?? '';
  const admin = await createSignedInAdmin(service);
  const api = await service.createApi({ ownerId: owner.user.userId });
  for (const client of [generated, uploaded]) {
    await obtainApiToken(service, client, owner.browser, api);
    await grantServiceAccess(service.services.database, api, client);
    await submitForm(owner.browser, clientPath(client.clientId, '/transfer'), { email: admin.user.email });
  }
  await service.services.activity.flush();
  for (const [client, name, logoHash] of [
    [generated, 'Carnet', null],
    [uploaded, 'Potager', hash],
  ] as const) {
    const chooser = buildAuthorizeUrl(service, client, { prompt: 'select_account' });
    for (const [browser, path, size] of [
      [owner.browser, chooser, 40],
      [owner.browser, apiPath(api.apiId, '/access'), 36],
      [owner.browser, apiPath(api.apiId, '/requests'), 36],
      [admin.browser, '/console/applications', 36],
      [admin.browser, `${OPERATIONS_PATH}/activity`, 24],
      [admin.browser, `${OPERATIONS_PATH}/audit?search=${client.clientId}`, 24],
    ] as const) {
      service.clock.advance(1);
      const { body } = await browser.follow(await browser.get(path));
      expect(body, String(path)).toContain(render(logo({ ...client, name, logo: logoHash }, size)));
    }
  }
});
