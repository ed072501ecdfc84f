// /account/picture: uploads or removes the profile picture.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { encodePicture } from '../../accounts/pictures.ts';
import { saveUserPicture } from '../../accounts/profile.ts';
import { clientNetwork } from '../../http/rate-limit.ts';
import type { Services } from '../../http/services.ts';
import { accountLayout } from '../../web/html/account-layout.ts';
import { cropScriptPath } from '../../web/html/asset-paths.ts';
import { submitButton } from '../../web/html/buttons.ts';
import { pictureField } from '../../web/html/fields.ts';
import { type FormState, form, formStatus } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { avatarUrl } from '../../web/html/pictures.ts';
import { signedInUser } from '../../web/session-guard.ts';
import { uploadedFile } from '../../web/uploads.ts';

const PATH = '/account/picture';

export function picturePage(area: FastifyInstance, services: Services): void {
  const savePicture = (
    request: FastifyRequest,
    picture: Awaited<ReturnType<typeof encodePicture>> | null,
  ) => {
    const actor = { userId: signedInUser(request).userId, ip: clientNetwork(request) };
    return saveUserPicture(services.database, actor, picture ?? null, services.now());
  };

  area.formPage({
    path: PATH,
    acceptsFile: true,
    loadSubject: signedInUser,
    parse: () => ({}),
    async act({ request }) {
      const file = uploadedFile(request, 'picture');
      const picture = file && (await encodePicture(file));
      if (picture === undefined) {
        const errorCode = file === undefined ? 'missing' : 'unreadable';
        return { errors: [{ field: 'picture', text: ({ account }) => account.picture[errorCode] }] };
      }
      await savePicture(request, picture);
      return `${PATH}?done=changed`;
    },
    doneMessages: ({ account: { picture } }) => ({ changed: picture.changed, removed: picture.removed }),
    render: ({ subject: member }) => ({
      title: (messages) => messages.account.picture.title,
      scripts: [cropScriptPath],
      main: (form) =>
        pictureView({ ...form, avatar: avatarUrl('', member), own: member.pictureHash !== null }),
    }),
  });

  area.embeddedForm({
    path: `${PATH}/remove`,
    page: PATH,
    async act(request) {
      await savePicture(request, null);
      return `${PATH}?done=removed`;
    },
  });
}

function pictureView(view: FormState & { avatar: string; own: boolean }): Html {
  const { messages, csrf, errors, own } = view;
  const text = messages.account.picture;
  return accountLayout(
    messages,
    'profile',
    html`${formStatus(view)}
<h1>${text.title}</h1>
<div class="picture">
<img class="avatar" src="${view.avatar}" alt="" width="128" height="128">
</div>
${form({
  action: PATH,
  csrf,
  upload: true,
  body: html`${pictureField({ name: 'picture', label: text.file, hint: text.fileHint, shape: 'round', errors }, messages)}
${submitButton({ text: text.upload })}`,
})}
${own && form({ action: `${PATH}/remove`, csrf, body: submitButton({ text: text.remove, kind: 'secondary' }) })}`,
    { within: true },
  );
}
