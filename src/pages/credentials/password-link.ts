// What the pages have in common that a mail's link opens for choosing a password: whose link it is, and what is wrong with the password.
import type { FastifyRequest } from 'fastify';
import type { PasswordLink } from '../../credentials/password-change.ts';
import { formOf, parametersOf } from '../../http/parameters.ts';
import type { Parts } from '../../http/parts.ts';
import { tokenHash } from '../../mail/links.ts';
import { findToken } from '../../store/one-time-tokens.ts';
import { deadLink, newPasswordFaults } from '../../web/asking.ts';

/** The account that a link is good for. */
interface LinkedAccount {
  token: string;
  hash: Buffer;
  name: string;
  email: string;
  /** It has never had a password. */
  invited: boolean;
  kind: PasswordLink;
  /** Whether its email address is verified: if not, the link ends everything set up before. */
  emailVerified: boolean;
}

/** The members of `formPage` that such a page begins with. Opening it uses nothing up. */
export const passwordLink = (parts: Parts, url: string, kinds: readonly PasswordLink[]) => ({
  url,
  async about(request: FastifyRequest): Promise<LinkedAccount> {
    const token = parametersOf(request).get('token') ?? '';
    const hash = tokenHash(token);
    const found = hash && (await findToken(parts.database, hash, kinds, parts.now()));
    const kind = kinds.find((one) => one === found?.kind);
    if (hash === undefined || found === undefined || kind === undefined) throw deadLink();
    const { name, email, invited, currentVerified: emailVerified } = found;
    return { token, hash, kind, name, email, invited, emailVerified };
  },
  read: () => ({}),
  faults: ({ request, about: { name, email } }: { request: FastifyRequest; about: LinkedAccount }) =>
    newPasswordFaults(parts, 'new_password', newPasswordOf(request), [name, email]),
  address: ({ token }: LinkedAccount) => `${url}?token=${token}`,
});

export const newPasswordOf = (request: FastifyRequest): string => formOf(request).get('new_password') ?? '';
