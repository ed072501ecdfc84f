// /account/picture: the picture that applications and other people see of a person.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { encodePicture } from '../../accounts/pictures.ts';
import { keepPersonsPicture } from '../../accounts/profile.ts';
import type { Parts } from '../../http/parts.ts';
import { addressOf } from '../../http/rate-limit.ts';
import { accountFrame } from '../../web/html/account-frame.ts';
import { type FormState, fileField, form, formStatus, submitButton } from '../../web/html/form.ts';
import { type Html, html } from '../../web/html/html.ts';
import { avatarAddress } from '../../web/html/pictures.ts';
import { memberOf } from '../../web/member.ts';
import { fileOf } from '../../web/uploads.ts';

const PATH = '/account/picture';

export function picturePage(area: FastifyInstance, parts: Parts): void {
  const keep = (request: FastifyRequest, picture: Awaited<ReturnType<typeof encodePicture>> | null) => {
    const own = { userId: memberOf(request).userId, address: addressOf(request) };
    return keepPersonsPicture(parts.database, own, picture ?? null, parts.now());
  };

  area.formPage({
    url: PATH,
    upload: true,
    about: memberOf,
    read: () => ({}),
    async act({ request }) {
      const file = fileOf(request, 'picture');
      const picture = file && (await encodePicture(file));
      if (picture === undefined) {
        const fault = file === undefined ? 'missing' : 'unreadable';
        return { faults: [{ field: 'picture', text: ({ account }) => account.picture[fault] }] };
      }
      await keep(request, picture);
      return `${PATH}?done=changed`;
    },
    done: ({ account: { picture } }) => ({ changed: picture.changed, removed: picture.removed }),
    page: ({ about: member }) => ({
      title: (messages) => messages.account.picture.title,
      main: (form) =>
        pictureView({ ...form, avatar: avatarAddress('', member), own: member.pictureHash !== null }),
    }),
  });

  area.formWithin({
    url: `${PATH}/remove`,
    page: PATH,
    async act(request) {
      await keep(request, null);
      return `${PATH}?done=removed`;
    },
  });
}

function pictureView(view: FormState & { avatar: string; own: boolean }): Html {
  const { messages, csrf, errors, own } = view;
  const text = messages.account.picture;
  return accountFrame(
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
  body: html`${fileField({
    name: 'picture',
    label: text.file,
    hint: text.fileHint,
    accept: 'image/jpeg,image/png,image/webp',
    errors,
  })}
${submitButton({ text: text.upload })}`,
})}
${own && form({ action: `${PATH}/remove`, csrf, body: submitButton({ text: text.remove, kind: 'secondary' }) })}`,
    { within: true },
  );
}
