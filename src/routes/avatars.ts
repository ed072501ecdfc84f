// GET /avatars/initials/… : generated pictures for accounts without one of their own.
import type { FastifyInstance } from 'fastify';
import { notFound } from '../oauth/errors.ts';
import { initialsAvatar } from '../web/html/avatar.ts';
import { INITIALS_PATH } from '../web/html/avatar-address.ts';

const FILE = /^(.{1,4})-([0-7])\.svg$/su;

export function avatarRoutes(app: FastifyInstance): void {
  app.get<{ Params: { file: string } }>(`${INITIALS_PATH}:file`, async (request, reply) => {
    const match = FILE.exec(request.params.file);
    if (match === null) throw notFound();
    return reply
      .headers({
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'cross-origin',
        'content-security-policy': "default-src 'none'",
      })
      .type('image/svg+xml; charset=utf-8')
      .send(initialsAvatar(match[1] ?? '', Number(match[2])));
  });
}
