// /console/apis/:api_id/test, /console/connection-test: the connection tester, for the owner of an API and for operators (D54).
// What it found travels in the address, sealed for the person; the token that it got is revoked in the same request.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { withdraw } from '../../../accounts/agreement.ts';
import { mayBeginConnectionTest, mayEndConnectionTest } from '../../../accounts/limits.ts';
import {
  discover,
  firstCall,
  identify,
  StepFault,
  scopesToAsk,
  type TestReport,
} from '../../../agents/connection-test.ts';
import { exchange } from '../../../grants/index.ts';
import { withoutSlot } from '../../../http/overload.ts';
import { queryOf } from '../../../http/parameters.ts';
import type { Parts } from '../../../http/parts.ts';
import { addressOf } from '../../../http/rate-limit.ts';
import { isTraceless } from '../../../http/request.ts';
import { areAgentsPossible } from '../../../oauth/agent-document.ts';
import { readCredentials } from '../../../oauth/client-authentication.ts';
import { TESTER_CALLBACK, testerAddress } from '../../../oauth/connection-tester.ts';
import { notFound, OAuthError, rateLimited } from '../../../oauth/errors.ts';
import { parseParameters } from '../../../oauth/parameters.ts';
import { challengeOf } from '../../../oauth/pkce.ts';
import { randomSecret } from '../../../oauth/secrets.ts';
import { findNamedApi } from '../../../store/apis.ts';
import { findWatchedApi } from '../../../store/own-apis.ts';
import { memberOf } from '../../../web/member.ts';
import { APIS, apiAddress } from '../frame-view.ts';
import { apiIdOf } from '../sections.ts';
import { connectionTestView } from './test-view.ts';

/** How long what was found counts, and a test may wait for the person, in milliseconds. */
const KEPT = 30 * 60_000;
const LONGEST_ADDRESS = 500;
/** Seconds until one more of an hour's allowance has drained. */
const RETRY_AFTER = 360;

/** What the report, and the state of the authorization, hold. */
interface Kept {
  userId: string;
  apiId: string;
  until: number;
  report: TestReport;
  /** What the verifier of the authorization is made of; absent in reports. */
  nonce?: string;
}

export function connectionTestPages(area: FastifyInstance, parts: Parts): void {
  const { config, database, sealer } = parts;
  const redirectUri = `${config.baseUrl}${TESTER_CALLBACK}`;
  const clientId = testerAddress(config.baseUrl);

  area.formPage({
    url: `${APIS}/:api_id/test`,
    about: (request) => watchedApi(request, parts),
    begin: ({ identifier }, request) => ({
      address: reported(request)?.report.address ?? identifier,
      report: '',
    }),
    read: (form, { identifier }) => ({
      address: form.get('address')?.trim() ?? identifier,
      report: form.get('report') ?? '',
    }),
    faults: ({ about: { identifier }, fields: { address, report } }) =>
      report === '' && !isBeside(address, identifier)
        ? [{ field: 'address', text: ({ apiTest }) => apiTest.otherOrigin }]
        : [],
    async act({ request, about: { apiId, identifier }, fields: { address, report } }) {
      const { userId } = memberOf(request);
      const kept = report === '' ? undefined : opened('report', report, request);
      if (kept?.apiId === apiId && kept.report.at === 'authorization')
        return authorizationOf(kept, identifier);
      if (!(await mayBeginConnectionTest(parts, userId, parts.now())))
        return { status: 429, faults: [{ text: ({ apiTest }) => apiTest.tooMany }] };
      const found = await walked({ address, scopes: [], at: 'authorization' }, async (one) => {
        const asked = await withoutSlot(request, async (offSlot) => {
          const named = await discover(parts, address, identifier, offSlot);
          await identify(parts.agents, clientId, addressOf(request), offSlot);
          return named;
        });
        const api = await findNamedApi(database, apiId, clientId);
        if (api === undefined) throw notFound();
        one.scopes = scopesToAsk(api, asked);
      });
      return reportAddress({ userId, apiId, until: 0, report: found });
    },
    page({ request, about: api, fields }) {
      const kept = reported(request);
      return {
        title: (messages) => messages.apiTest.title(api.name),
        main: (form) =>
          connectionTestView({
            ...form,
            api,
            address: fields.address,
            issuer: config.baseUrl,
            letsAgentsIn: areAgentsPossible(config),
            report: kept?.apiId === api.apiId ? kept.report : undefined,
            sealed: queryOf(request).get('report'),
          }),
      };
    },
  });

  /** Where the person gives their consent, and comes back from to the end of the test. */
  function authorizationOf({ userId, apiId, report }: Kept, resource: string): string {
    const nonce = randomSecret();
    const state: Kept = { userId, apiId, until: parts.now().getTime() + KEPT, report, nonce };
    const request = {
      ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri },
      ...(report.scopes.length > 0 && { scope: report.scopes.join(' ') }),
      resource,
      state: sealer.sealJson('connection-test state', state),
      code_challenge: challengeOf(verifierOf(userId, nonce)),
      code_challenge_method: 'S256',
    };
    return `/oauth/authorize?${new URLSearchParams(request)}`;
  }

  area.get(TESTER_CALLBACK, async (request, reply) => {
    const answer = queryOf(request);
    const kept = opened('state', answer.get('state'), request);
    if (kept === undefined || kept.nonce === undefined || isTraceless(request)) throw notFound();
    const { userId, apiId, nonce } = kept;
    const api = await findWatchedApi(database, userId, apiId);
    if (api === undefined) throw notFound();
    const report = await walked(kept.report, async (one) => {
      const { address } = one;
      if (answer.get('error') !== undefined)
        throw refused(answer.get('error'), answer.get('error_description'));
      try {
        if (!(await mayEndConnectionTest(parts, userId, parts.now()))) throw rateLimited(RETRY_AFTER);
        const token = await tokenFor(answer.get('code') ?? '', verifierOf(userId, nonce), api.identifier);
        await withoutSlot(request, (offSlot) => firstCall(parts, address, token, offSlot));
      } finally {
        await withdraw(database, { userId, clientId, address: addressOf(request) }, parts.now());
      }
      one.at = undefined;
    });
    return reply.redirect(reportAddress({ userId, apiId, until: 0, report }), 303);
  });

  async function tokenFor(code: string, verifier: string, resource: string): Promise<string> {
    const form = parseParameters(
      new URLSearchParams({
        ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri, client_id: clientId },
        ...{ code_verifier: verifier, resource },
      }).toString(),
    );
    try {
      const credentials = readCredentials(form, undefined);
      return (await exchange(parts, { form, credentials, now: parts.now() })).access_token;
    } catch (error) {
      throw error instanceof OAuthError ? new StepFault('token', 'noToken', error.message) : error;
    }
  }

  const verifierOf = (userId: string, nonce: string): string =>
    sealer.mac('connection-test', userId, nonce).toString('base64url');

  const reportAddress = (kept: Kept): string => {
    const until = parts.now().getTime() + KEPT;
    const sealed = sealer.sealJson('connection-test report', { ...kept, until });
    return `${apiAddress(kept.apiId, 'test')}?report=${sealed}`;
  };

  /** The report that stands in the address of the page. */
  const reported = (request: FastifyRequest) => opened('report', queryOf(request).get('report'), request);

  /** What was sealed for this person, while it counts. */
  function opened(kind: 'report' | 'state', text: string | undefined, request: FastifyRequest) {
    const kept = sealer.openJson<Kept>(`connection-test ${kind}`, text);
    const counts = kept?.userId === memberOf(request).userId && kept.until > parts.now().getTime();
    return counts ? kept : undefined;
  }
}

/** Takes a test further; where a step ends it, the report says so. */
async function walked(begun: TestReport, go: (report: TestReport) => Promise<void>): Promise<TestReport> {
  const report = { ...begun };
  try {
    await go(report);
  } catch (error) {
    if (!(error instanceof StepFault)) throw error;
    report.at = error.step;
    report.fault = { kind: error.kind, seen: error.seen };
  }
  return report;
}

const refused = (error = '', words = ''): StepFault =>
  new StepFault('authorization', error === 'access_denied' ? 'denied' : 'notAllowed', `${error} ${words}`);

/** Whether an address is one of the API's own server: nothing else is called. */
function isBeside(address: string, identifier: string): boolean {
  if (address.length > LONGEST_ADDRESS || !URL.canParse(address)) return false;
  const { origin, username, password } = new URL(address);
  return origin === new URL(identifier).origin && username === '' && password === '';
}

/** The API that the address names, for its owner and for operators. @throws OAuthError `not_found` */
async function watchedApi(request: FastifyRequest, { database }: Parts) {
  const api = await findWatchedApi(database, memberOf(request).userId, apiIdOf(request));
  if (api === undefined) throw notFound();
  return api;
}
