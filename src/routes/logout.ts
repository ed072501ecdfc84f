// GET and POST /oauth/logout: an application asks for the person to be signed out here too (RP-Initiated Logout 1.0).
import type { FastifyInstance, FastifyReply } from 'fastify';
import { noteRefusedRequest } from '../http/diagnostics.ts';
import { PageFault } from '../http/failures.ts';
import { formOf, queryOf, requireForm } from '../http/parameters.ts';
import type { Parts } from '../http/parts.ts';
import { isTraceless } from '../http/request.ts';
import { openIdToken } from '../keys/tokens.ts';
import { named } from '../oauth/client-authentication.ts';
import { invalidRequest, type OAuthError } from '../oauth/errors.ts';
import {
  LONGEST_STATE,
  type LogoutTarget,
  logoutAddress,
  sealLogoutTarget,
} from '../oauth/logout-request.ts';
import { faultOf, type Parameters } from '../oauth/parameters.ts';
import { isClientIdShaped } from '../oauth/secrets.ts';
import { withoutCredentials } from '../oauth/shown.ts';
import { findLogoutApplication } from '../store/clients.ts';
import { accountsHere, endHere } from '../web/accounts-here.ts';
import { farewell } from '../web/farewells.ts';
import { isAtHome } from '../web/known-browsers.ts';

const PARAMETERS = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales'];

interface LogoutRequest {
  /** The session that its hint names, and whose it was; undefined without one. */
  hint: { sid: string; userId: string } | undefined;
  /** Where it leads; or why its address is not gone to. */
  target: LogoutTarget | PageFault | undefined;
}

export function logoutRoute(app: FastifyInstance, parts: Parts): void {
  const { config, database, keys, sealer } = parts;

  app.get('/oauth/logout', async (request, reply) => {
    const parameters = queryOf(request);
    const { target, hint } = await check(parameters);
    const accounts = await accountsHere(request, parts);
    const signedIn = accounts.length > 0;
    if (target instanceof PageFault) {
      // Only the redirect is forbidden (§3): whoever is signed in may sign out all the same.
      if (!signedIn) throw target;
      request.refusal = target.refusal;
      noteRefusedRequest(request, target.refusal, parts);
      return ask(reply, parameters, undefined);
    }
    // Anybody could have made this address, of an application of their own and with an id_token of their own (RFC 9700
    // §4.11): it is gone to unasked where that account has signed in with this browser.
    const known = hint !== undefined && isAtHome(request, parts, hint.userId);
    if (!signedIn && target !== undefined && !known) return ask(reply, parameters, target);
    if (!signedIn) return leave(reply, target);
    // The id_token of a session of this very browser: the application, and nobody else, can have it. Otherwise the person
    // is asked, or any page of the internet could sign people out. Other accounts stay signed in.
    const ended = accounts.filter(({ sid }) => sid === hint?.sid);
    if (ended.length === 0) return ask(reply, parameters, target);
    if (isTraceless(request)) return leave(reply, target);
    const left = await endHere(reply, parts, { accounts, ended });
    return leave(reply, target, left);
  });

  // It comes from another site, so it brings no session: the GET that follows does, and judges the address again.
  app.post('/oauth/logout', { preHandler: requireForm }, async (request, reply) => {
    const form = formOf(request);
    await check(form);
    const read = form.entries.filter(([name]) => PARAMETERS.includes(name));
    return reply.redirect(`/oauth/logout?${new URLSearchParams(read)}`, 303);
  });

  /** Checks the request (§2). @throws PageFault where it cannot even be asked about */
  async function check(parameters: Parameters): Promise<LogoutRequest> {
    const fault = faultOf(parameters);
    if (fault !== undefined) throw refused(fault, parameters.get('client_id'));
    const text = parameters.get('id_token_hint');
    const hint = text === undefined ? undefined : await openIdToken(keys, config.baseUrl, text);
    if (text !== undefined && hint === undefined)
      throw refused(
        invalidRequest('id_token_hint is not an id_token of this service.', { kind: 'logout_hint' }),
        parameters.get('client_id'),
      );
    const clientId = parameters.get('client_id') ?? hint?.clientId;
    if (hint !== undefined && clientId !== hint.clientId)
      throw refused(
        invalidRequest('client_id is not the application that id_token_hint was given to.', {
          kind: 'token_of_other',
          what: 'id_token',
        }),
        clientId,
      );
    const state = parameters.get('state');
    if (state !== undefined && Buffer.byteLength(state) > LONGEST_STATE)
      throw refused(
        invalidRequest(`state is longer than ${LONGEST_STATE} bytes.`, {
          kind: 'parameter_too_long',
          parameter: 'state',
        }),
        clientId,
      );
    return { hint, target: await targetOf(parameters, clientId) };
  }

  async function targetOf(
    parameters: Parameters,
    clientId: string | undefined,
  ): Promise<LogoutTarget | PageFault | undefined> {
    const redirectUri = parameters.get('post_logout_redirect_uri');
    // Whose address it is, nobody says: it is not gone to.
    if (redirectUri === undefined || clientId === undefined) return undefined;
    const registered =
      isClientIdShaped(clientId) && (await findLogoutApplication(database, clientId, redirectUri));
    return registered
      ? { clientId, redirectUri, state: parameters.get('state') }
      : refused(
          invalidRequest(
            'post_logout_redirect_uri is not one of the addresses registered for this application; they are compared character by character.',
            { kind: 'logout_address', sent: withoutCredentials(redirectUri) },
          ),
          clientId,
        );
  }

  function ask(reply: FastifyReply, parameters: Parameters, target: LogoutTarget | undefined): FastifyReply {
    const query = new URLSearchParams();
    if (target !== undefined) query.set('logout', sealLogoutTarget(sealer, target));
    const uiLocales = parameters.get('ui_locales');
    if (uiLocales !== undefined) query.set('ui_locales', uiLocales);
    return reply.redirect(query.size === 0 ? '/signout' : `/signout?${query}`, 303);
  }
}

const leave = (
  reply: FastifyReply,
  target: LogoutTarget | undefined,
  left: readonly { active: boolean }[] = [],
): FastifyReply => reply.redirect(target === undefined ? farewell(left) : logoutAddress(target), 303);

/** 400, as a page: nobody is signed out and nothing is gone to. */
const refused = (refusal: OAuthError, clientId: string | undefined): PageFault =>
  new PageFault('invalidLogout', refusal.from(named(clientId)));
